import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { findProgram } from './sandbox-settings.ts';

/** Reduction of a slot's privileges by the tools of util-linux, used if bubblewrap is absent (Linux only). */
export interface ReducedRights {
  /** Words to prepend to the command line. */
  readonly prefix: readonly string[];
  /** Restrictions verified by running a probe; see `holds`. */
  readonly holds: readonly ('no network' | 'no new privileges' | 'no capabilities' | 'not root')[];
}

const run = promisify(execFile);
const LIMIT_MS = 10_000;
// Capabilities that the slot needs to read files of other users and then switch to another user, which drops them.
const AS_ROOT = ['--inh-caps=-all', '--bounding-set=-all,+setuid,+setgid,+dac_override'];
const UNSHARED = ['--net', '--ipc', '--uts'];

/** Determines by trial which restrictions the system permits; containers differ in this. */
export async function reduceRights(path: string | undefined): Promise<ReducedRights> {
  if (process.platform !== 'linux') return { prefix: [], holds: [] };
  const [unshare, setpriv] = ['unshare', 'setpriv'].map((name) => findProgram(name, path));
  const isRoot = process.getuid?.() === 0;
  const inNamespaces =
    unshare === undefined
      ? []
      : await firstThatRuns([...(isRoot ? [[unshare, ...UNSHARED]] : []), [unshare, '--user', ...UNSHARED]]);
  const privileges =
    setpriv === undefined
      ? []
      : await firstThatRuns([
          ...(isRoot ? [[...inNamespaces, setpriv, '--no-new-privs', ...AS_ROOT]] : []),
          [...inNamespaces, setpriv, '--no-new-privs'],
        ]);
  const prefix = privileges.length > 0 ? privileges : inNamespaces;
  return { prefix, holds: await holds(prefix) };
}

async function firstThatRuns(prefixes: readonly (readonly string[])[]): Promise<readonly string[]> {
  for (const prefix of prefixes) {
    const [program = '', ...args] = [...prefix, process.execPath, '--version'];
    const works = await run(program, args, { timeout: LIMIT_MS, env: {} }).then(
      () => true,
      () => false,
    );
    if (works) return prefix;
  }
  return [];
}

// Drops root in the same way as slot-process.ts, then reports the remaining rights.
const PROBE = `
if (process.getuid() === 0) try { process.setgroups([]); process.setgid(65534); process.setuid(65534); } catch {}
const status = require('fs').readFileSync('/proc/self/status', 'utf8');
const links = require('os').networkInterfaces();
console.log(JSON.stringify({
  uid: Number(/^Uid:\\s+(\\d+)/m.exec(status)[1]),
  noNewPrivileges: /^NoNewPrivs:\\s+1/m.test(status),
  capabilities: /^CapEff:\\s+0*$/m.test(status) && /^CapPrm:\\s+0*$/m.test(status),
  network: Object.keys(links).length > 0 || require('fs').readFileSync('/proc/self/net/dev', 'utf8').split('\\n').length > 4,
}));
`;

async function holds(prefix: readonly string[]): Promise<ReducedRights['holds']> {
  const [program = process.execPath, ...args] = [...prefix, process.execPath, '-e', PROBE];
  try {
    const { stdout } = await run(program, args, { timeout: LIMIT_MS, env: {} });
    const found: { uid: number; noNewPrivileges: boolean; capabilities: boolean; network: boolean } =
      JSON.parse(stdout);
    return [
      ...(found.network ? [] : (['no network'] as const)),
      ...(found.noNewPrivileges ? (['no new privileges'] as const) : []),
      ...(found.capabilities ? (['no capabilities'] as const) : []),
      ...(found.uid === 0 ? [] : (['not root'] as const)),
    ];
  } catch {
    return [];
  }
}
