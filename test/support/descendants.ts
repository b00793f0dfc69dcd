import { readdir, readFile } from 'node:fs/promises';

/** A descendant process, as listed in /proc; `command` is the whole command line. */
export interface Descendant {
  readonly pid: number;
  readonly command: string;
}

/** All descendants of a process, at any depth. Linux only. */
export async function descendantsOf(pid: number): Promise<readonly Descendant[]> {
  const parents = new Map<number, number>();
  await Promise.all(
    (await readdir('/proc'))
      .filter((name) => /^\d+$/.test(name))
      .map(async (name) => {
        const stat = await readFile(`/proc/${name}/stat`, 'utf8').catch(() => '');
        // The second field is the program name in parentheses, which may itself contain parentheses and spaces.
        const [state = 'Z', parent = ''] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
        if (state !== 'Z') parents.set(Number(name), Number(parent));
      }),
  );
  const isBelow = (candidate: number): boolean => {
    const parent = parents.get(candidate);
    return parent !== undefined && (parent === pid || isBelow(parent));
  };
  return Promise.all(
    [...parents.keys()].filter(isBelow).map(async (each) => {
      const line = await readFile(`/proc/${each}/cmdline`, 'utf8').catch(() => '');
      return { pid: each, command: line.replaceAll('\0', ' ').trim() };
    }),
  );
}

/** Whether a process is running; a zombie, which its parent has not reaped yet, is not. Linux only. */
export async function isRunning(pid: number): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return stat !== '' && !/^[ZX]/.test(stat.slice(stat.lastIndexOf(')') + 2));
}
