import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ServiceError } from '../errors.ts';
import { programFile } from '../program-file.ts';
import { type OuterLayers, slotCommand } from './outer-layers.ts';
import type { PythonPackages } from './packages.ts';
import type { PythonRuntime } from './runtime.ts';
import type { SandboxLimits } from './sandbox.ts';
import type { SlotPackage, SlotStart } from './slot/slot-messages.ts';
import { type Slot, SlotFailure, type StartingSlot, startSlot, takeSnapshot } from './slot.ts';
import { openSnapshotCache } from './snapshot-cache.ts';
import { readTimeZones } from './time-zones.ts';

export interface StarterOptions {
  readonly runtime: PythonRuntime;
  /** Called when the first slot starts. */
  layers(): Promise<OuterLayers>;
  /** Refuses to run without bubblewrap. */
  readonly needsBubblewrap?: boolean;
  readonly limits: SandboxLimits;
  /** Folder for the snapshot and downloaded packages. */
  readonly cacheFolder: string;
  readonly packages: PythonPackages;
  /** Reports failures of the sandbox itself, never of the code run in it. */
  report?(message: string, cause?: unknown): void;
}

const ISOLATE_MEGABYTES = 192;
/** Memory factor of compiled wheels: up to five times the file size unpacked, plus the file itself until then. */
const UNPACKED = 6;
// Modules that expose Pyodide's internals. Blocking them is a convenience; lockdown.js is the security boundary.
const BLOCKED_MODULES = [
  'js',
  'pyodide',
  'pyodide_js',
  '_pyodide',
  '_pyodide_core',
  'ctypes',
  '_ctypes',
  '_sandbox',
  '_workspace',
];

/** Starts slots; creates the snapshot first, and again if it turns out to be unusable. */
export function createStarter(options: StarterOptions): (starting: StartingSlot) => Promise<Slot> {
  const { runtime, limits, cacheFolder, packages, report } = options;
  const script = programFile('./slot/slot-process.ts', import.meta);
  const sourceFiles = [`${dirname(script)}/`, packageFile(dirname(script))];

  const findLayers = lazily(async () => {
    const layers = await options.layers();
    if (options.needsBubblewrap !== true || 'program' in layers.bubblewrap) return layers;
    const reason = `CITEWELL_SANDBOX=strict: ${layers.bubblewrap.absent}.`;
    throw new ServiceError('not_configured', `${reason} Make it work, or use CITEWELL_SANDBOX=auto.`);
  });

  async function slotOptions(snapshot: string | null, chosen: readonly SlotPackage[], more: Partial<SlotStart>) {
    const layers = await findLayers.get();
    // Package files occupy memory of the isolate; the data of compiled ones also occupies memory of Python.
    const archives = megabytesOf(chosen.filter(({ kind }) => kind === 'archive'));
    const compiled = UNPACKED * megabytesOf(chosen.filter(({ kind }) => kind === 'unpacked'));
    const pythonMegabytes = Math.min(limits.pythonMegabytes + compiled, MAX_PYTHON_MEGABYTES);
    const processMegabytes = limits.processMegabytes + 2 * archives + 3 * compiled;
    const command = slotCommand({
      layers,
      script,
      readable: [
        ...sourceFiles,
        `${runtime.pyodide}/`,
        runtime.binding,
        ...(snapshot === null ? [] : [snapshot]),
        ...chosen.map(({ file }) => file),
      ],
      pythonMegabytes,
      processMegabytes,
    });
    const start: SlotStart = {
      binding: runtime.binding,
      pyodide: runtime.pyodide,
      snapshot,
      makesSnapshot: false,
      packages: chosen,
      timeZones: {},
      seed: randomBytes(32).toString('hex'),
      isolateMegabytes: ISOLATE_MEGABYTES + archives + compiled,
      residentBytes: processMegabytes * 1_000_000,
      harness: {
        stdout: limits.outputCharacters,
        stderr: limits.outputCharacters,
        value: limits.outputCharacters,
        files: limits.outputFiles,
        file_bytes: limits.outputBytes,
        kept_bytes: limits.keptBytes,
        megabytes: pythonMegabytes,
        packages: chosen.map(({ title }) => title),
        withheld: BLOCKED_MODULES,
      },
      ...more,
    };
    // A character takes up to six bytes in JSON, and the reply is encoded twice.
    const maxReplyLength = 12 * (4 * limits.outputCharacters + 20_000) + 2 * (limits.outputBytes + limits.keptBytes);
    return { command, start, maxReplyLength, residentBytes: start.residentBytes };
  }

  const cache = lazily(() => openSnapshotCache(join(cacheFolder, 'python'), runtime));
  const snapshot = lazily(async () => {
    const file = await cache.get();
    return file.get(async () =>
      takeSnapshot(await slotOptions(null, [], { makesSnapshot: true, timeZones: await readTimeZones() })),
    );
  });

  return async (starting) => {
    const chosen = await packages.files();
    const kept = snapshot.get();
    try {
      return await startSlot(await slotOptions(await kept, chosen, {}), starting);
    } catch (error) {
      if (!(error instanceof SlotFailure)) throw error;
      // When several slots fail to start, the snapshot is created again once for all of them.
      const isFirst = snapshot.renew(kept, async () => (await cache.get()).discard());
      if (isFirst) report?.('Python did not start from its snapshot, which is rebuilt.', error);
      // Packages may have been removed in the meantime.
      return startSlot(await slotOptions(await snapshot.get(), await packages.files(), {}), starting);
    }
  };
}

const MAX_PYTHON_MEGABYTES = 4_000;

const megabytesOf = (packages: readonly SlotPackage[]): number =>
  Math.ceil(packages.reduce((sum, { bytes }) => sum + bytes, 0) / 1_000_000);

interface Lazy<T> {
  get(): Promise<T>;
  /** Runs `before` and recreates the value, unless `made` has already been replaced; returns whether it did. */
  renew(made: Promise<T>, before: () => Promise<void>): boolean;
}

/** Runs `make` on first use and shares the result; failures are not cached. */
function lazily<T>(make: () => Promise<T>): Lazy<T> {
  let made: Promise<T> | undefined;
  const keep = (making: Promise<T>): Promise<T> => {
    made = making.catch((error: unknown) => {
      made = undefined;
      throw error;
    });
    return made;
  };
  return {
    get: () => made ?? keep(make()),
    renew(given, before) {
      if (made !== given) return false;
      void keep(before().then(make)).catch(() => undefined);
      return true;
    },
  };
}

/** Path of the nearest package.json, which Node must read to load the slot's script as an ES module. */
function packageFile(folder: string): string {
  for (let path = folder; ; path = dirname(path)) {
    const file = join(path, 'package.json');
    if (existsSync(file) || dirname(path) === path) return file;
  }
}
