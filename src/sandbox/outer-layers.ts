import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';
import { bubblewrapPath } from './sandbox-settings.ts';

/** What stands around the process of a slot, besides the isolate inside of it. */
export interface OuterLayers {
  /** The bubblewrap program, when there is one that works; else why not. */
  readonly bubblewrap: { readonly program: string } | { readonly absent: string };
  /** Whether the kernel's limits for a process can be set by way of a shell. */
  readonly kernelLimits: boolean;
}

/** Looks for bubblewrap and tries it, for many containers forbid what it needs. */
export async function findOuterLayers(path: string | undefined): Promise<OuterLayers> {
  return {
    bubblewrap: await findBubblewrap(path),
    kernelLimits: process.platform !== 'win32' && existsSync(SHELL),
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

/** The trial needs the Node program itself, like every slot. */
const withNode = (word: string): string[] =>
  word === '--' ? ['--ro-bind', process.execPath, process.execPath, '--'] : [word];

// No network, no other processes, no users; nothing of the file system but what is bound; gone with its parent.
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
  /** The slot's program. */
  readonly script: string;
  /** All that it may read, absolute; folders end with a slash. */
  readonly readable: readonly string[];
  readonly pythonMegabytes: number;
  readonly processMegabytes: number;
}

const WASM_PAGES_PER_MEGABYTE = 16;
// V8 reserves 512 MB for code, which the kernel counts; with 700 MB the isolate could still be made, with 256 not.
const HEADROOM_MEGABYTES = 900;

/** The command line of a slot: Node with its permissions, within the kernel's limits, within bubblewrap. */
export function slotCommand(plan: SlotPlan): SlotCommand {
  return withBubblewrap(plan, withKernelLimits(plan, nodeCommand(plan)));
}

function nodeCommand({ script, readable, pythonMegabytes }: SlotPlan): SlotCommand {
  return {
    program: process.execPath,
    args: [
      // What isolated-vm asks for.
      '--no-node-snapshot',
      '--no-warnings',
      `--wasm-max-mem-pages=${pythonMegabytes * WASM_PAGES_PER_MEGABYTE}`,
      '--max-old-space-size=128',
      // No files but these, no processes, no threads, for whatever runs as JavaScript in this process.
      '--permission',
      '--allow-addons',
      ...readable.map((path) => `--allow-fs-read=${path.endsWith('/') ? `${path}*` : path}`),
      script,
    ],
  };
}

function withKernelLimits({ layers, processMegabytes }: SlotPlan, { program, args }: SlotCommand): SlotCommand {
  if (!layers.kernelLimits) return { program, args };
  // No dumps of memory, no written files, few open ones; the rest of memory is the last stop after two watchdogs.
  const limits = ['-c 0', '-f 0', '-n 64', `-d ${(processMegabytes + HEADROOM_MEGABYTES) * 1024}`];
  const script = [...limits.map((limit) => `ulimit ${limit} 2>/dev/null`), 'exec "$0" "$@"'].join('; ');
  return { program: SHELL, args: ['-c', script, program, ...args] };
}

function withBubblewrap({ layers, readable }: SlotPlan, { program, args }: SlotCommand): SlotCommand {
  if (!('program' in layers.bubblewrap)) return { program, args };
  const bound = [process.execPath, ...(program === SHELL ? [SHELL] : []), ...readable];
  const binds = bound.flatMap((path) => ['--ro-bind', path, path]);
  return {
    program: layers.bubblewrap.program,
    args: [...NAMESPACES, ...LIBRARIES, ...binds, '--', program, ...args],
  };
}
