import { mkdir, readFile, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A memory limit for a process and all its children together. */
export interface MemoryLimit {
  /** Command prefix that runs a program under the limit; see `RunOptions.via`. */
  readonly via: readonly string[];
  /** Number of processes killed by the kernel for lack of memory. */
  kills(): Promise<number>;
  remove(): Promise<void>;
}

const MOUNTED = '/sys/fs/cgroup';

/**
 * Creates a control group (v1 or v2); undefined without permission to do so. `ulimit -v` does not work, because V8
 * reserves far more address space than it uses, nor does RLIMIT_DATA, which includes V8's code range of 512 MB.
 */
export async function limitMemory(bytes: number): Promise<MemoryLimit | undefined> {
  const name = `citewell-fault-test-${process.pid}`;
  const own = await readFile('/proc/self/cgroup', 'utf8').catch(() => '');
  const first = /^\d+:memory:(.*)$/m.exec(own)?.[1];
  const second = /^0::(.*)$/m.exec(own)?.[1] ?? '/';
  const folder = first === undefined ? join(MOUNTED, second, name) : join(MOUNTED, 'memory', first, name);
  try {
    await mkdir(folder);
    await writeFile(join(folder, first === undefined ? 'memory.max' : 'memory.limit_in_bytes'), String(bytes));
  } catch {
    await rmdir(folder).catch(() => undefined);
    return undefined;
  }
  return {
    via: ['sh', '-c', 'echo $$ > "$0/cgroup.procs" && exec "$@"', folder],
    async kills() {
      const events = join(folder, first === undefined ? 'memory.events' : 'memory.oom_control');
      return Number(/^oom_kill (\d+)$/m.exec(await readFile(events, 'utf8'))?.[1] ?? 0);
    },
    remove: () => rmdir(folder),
  };
}
