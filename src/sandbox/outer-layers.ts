import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';
import { type ReducedRights, reduceRights } from './reduced-rights.ts';
import { bubblewrapPath } from './sandbox-settings.ts';

/** Isolation layers around a slot's process, in addition to the isolate inside it. */
export interface OuterLayers {
  /** The bubblewrap executable if it works, otherwise the reason why not. */
  readonly bubblewrap: { readonly program: string } | { readonly absent: string };
  /** Whether ulimit-style process limits can be set through a shell. */
  readonly kernelLimits: boolean;
  /** Privileges dropped from the process if bubblewrap is absent. */
  readonly rights?: ReducedRights;
}

/** Looks for bubblewrap and runs it once, because many containers do not permit what it needs. */
export async function findOuterLayers(path: string | undefined): Promise<OuterLayers> {
  const bubblewrap = await findBubblewrap(path);
  return {
    bubblewrap,
    kernelLimits: process.platform !== 'win32' && existsSync(SHELL),
    ...('absent' in bubblewrap && { rights: await reduceRights(path) }),
  };
}

const SHELL = '/bin/sh';
const run = promisify(execFile);

async function findBubblewrap(path: string | undefined): Promise<OuterLayers['bubblewrap']> {
  if (process.platform !== 'linux') return { absent: 'bubblewrap exists on Linux only' };
  const program = bubblewrapPath(path);
  if (program === undefined) return { absent: 'bubblewrap (bwrap) is not installed' };
  try {
    await run(program, [...NAMESPACES, ...LIBRARIES, '--', process.execPath, '--version'].flatMap(withNode), {
      timeout: 10_000,
      env: {},
    });
    return { program };
  } catch (error) {
    const detail = error instanceof Error ? error.message.trim().split('\n').at(-1) : String(error);
    return { absent: `${program} does not work here: ${detail}` };
  }
}

/** The test run needs the Node executable, like each slot. */
const withNode = (word: string): string[] =>
  word === '--' ? ['--ro-bind', process.execPath, process.execPath, '--'] : [word];

// No network, separate process and user namespaces, only the bound files, ends with its parent.
const NAMESPACES = [
  '--unshare-all',
  '--die-with-parent',
  '--new-session',
  '--clearenv',
  '--cap-drop',
  'ALL',
  '--dev',
  '/dev',
];
const LIBRARIES = ['/lib', '/lib64', '/usr/lib', '/usr/lib64', '/etc/ld.so.cache'].flatMap((path) => [
  '--ro-bind-try',
  path,
  path,
]);

export interface SlotCommand {
  readonly program: string;
  readonly args: readonly string[];
}

export interface SlotPlan {
  readonly layers: OuterLayers;
  /** Script of the slot process. */
  readonly script: string;
  /** Absolute paths it may read; folders end with a slash. */
  readonly readable: readonly string[];
  readonly pythonMegabytes: number;
  readonly processMegabytes: number;
}

const WASM_PAGES_PER_MEGABYTE = 16;
// The limit includes V8's reservation of 512 MB of address space for code. 700 MB sufficed to start; 256 MB did not.
const HEADROOM_MEGABYTES = 900;
// Python's C code recurses on V8's stack: with 8 MB, pickling 20,000 nested lists crashed the interpreter before its
// own recursion check applied. Linux reserves this size for each thread of the process.
const STACK_MEGABYTES = 32;
const THREADS = 14;

/** The command line of a slot: Node with its permission model, process limits, and bubblewrap or reduced privileges. */
export function slotCommand(plan: SlotPlan): SlotCommand {
  return withBubblewrap(plan, withKernelLimits(plan, nodeCommand(plan)));
}

function withFewerRights({ layers: { rights } }: SlotPlan, { program, args }: SlotCommand): SlotCommand {
  const [first, ...rest] = [...(rights?.prefix ?? []), program, ...args];
  return { program: first ?? program, args: rest };
}

function nodeCommand({ script, readable, pythonMegabytes }: SlotPlan): SlotCommand {
  return {
    program: process.execPath,
    args: [
      // Required by isolated-vm.
      '--no-node-snapshot',
      '--no-warnings',
      `--wasm-max-mem-pages=${pythonMegabytes * WASM_PAGES_PER_MEGABYTE}`,
      '--max-old-space-size=128',
      // Node's permission model: JavaScript can read only these files and cannot start processes or threads.
      '--permission',
      '--allow-addons',
      ...readable.map((path) => `--allow-fs-read=${path.endsWith('/') ? `${path}*` : path}`),
      script,
    ],
  };
}

function withKernelLimits({ layers, processMegabytes }: SlotPlan, { program, args }: SlotCommand): SlotCommand {
  if (!layers.kernelLimits) return { program, args };
  // No core dumps, no file writes, few open files. The memory limit is the last resort, after two watchdogs.
  const data = processMegabytes + HEADROOM_MEGABYTES + THREADS * STACK_MEGABYTES;
  const limits = ['-c 0', '-f 0', '-n 64', `-s ${STACK_MEGABYTES * 1024}`, `-d ${data * 1024}`];
  const script = [...limits.map((limit) => `ulimit ${limit} 2>/dev/null`), 'exec "$0" "$@"'].join('; ');
  return { program: SHELL, args: ['-c', script, program, ...args] };
}

function withBubblewrap(plan: SlotPlan, { program, args }: SlotCommand): SlotCommand {
  const { layers, readable } = plan;
  if (!('program' in layers.bubblewrap)) return withFewerRights(plan, { program, args });
  const bound = [process.execPath, ...(program === SHELL ? [SHELL] : []), ...readable];
  const binds = bound.flatMap((path) => ['--ro-bind', path, path]);
  return {
    program: layers.bubblewrap.program,
    args: [...NAMESPACES, ...LIBRARIES, ...binds, '--', program, ...args],
  };
}
