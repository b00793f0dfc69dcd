import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ServiceError } from '../errors.ts';
import { programFile } from '../program-file.ts';
import { type OuterLayers, slotCommand } from './outer-layers.ts';
import type { PythonPackages } from './packages.ts';
import { SlotPool } from './pool.ts';
import { isSafeName, readReply } from './read-reply.ts';
import type { PythonRuntime } from './runtime.ts';
import type { PythonRequest, PythonResult, Sandbox, SandboxLimits } from './sandbox.ts';
import type { Printed, SlotPackage, SlotStart } from './slot/slot-messages.ts';
import { type Slot, type SlotAnswer, SlotFailure, startSlot, takeSnapshot } from './slot.ts';
import { openSnapshotCache } from './snapshot-cache.ts';

export interface PythonSandboxOptions {
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
// Modules that expose Pyodide's internals. Blocking them is a convenience; lockdown.js is the security boundary.
const BLOCKED_MODULES = ['js', 'pyodide', 'pyodide_js', '_pyodide', '_pyodide_core', 'ctypes', '_ctypes', '_sandbox'];

/** Runs Python in isolates, each in its own process. Nothing is started before the first call. */
export function createPythonSandbox(options: PythonSandboxOptions): Sandbox & { readonly size: number } {
  const { limits } = options;
  const starter = createStarter(options);
  const pool = new SlotPool<Slot>({ ...limits, start: starter });
  return {
    limits,
    async run(request, signal) {
      const text = encodeRequest(request, limits);
      const milliseconds = Math.min(request.milliseconds ?? limits.milliseconds, limits.maxMilliseconds);
      const lease = await pool.lease(request, signal).catch((error: unknown) => {
        throw error instanceof SlotFailure ? cannotStart(error) : error;
      });
      let isUsable = false;
      const begun = performance.now();
      try {
        const answer = await lease.slot.ask({ request: text, milliseconds }, signal);
        const result = toResult(answer, { limits, milliseconds, request });
        isUsable = !isFatal(result);
        if (!isUsable) options.report?.(`Python ended by ${result.end}.`);
        return {
          ...result,
          milliseconds: Math.round(performance.now() - begun),
          sessionLost: lease.sessionLost || (!isUsable && request.session !== undefined),
        };
      } finally {
        lease.release(isUsable);
      }
    },
    get size() {
      return pool.size;
    },
    close: () => pool.close(),
  };
}

/** Starts slots; creates the snapshot first, and again if it turns out to be unusable. */
function createStarter(options: PythonSandboxOptions): () => Promise<Slot> {
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
      pythonMegabytes: limits.pythonMegabytes,
      processMegabytes: limits.processMegabytes,
    });
    const start: SlotStart = {
      binding: runtime.binding,
      pyodide: runtime.pyodide,
      snapshot,
      makesSnapshot: false,
      packages: chosen,
      timeZones: {},
      seed: randomBytes(32).toString('hex'),
      isolateMegabytes: ISOLATE_MEGABYTES,
      residentBytes: limits.processMegabytes * 1_000_000,
      harness: {
        stdout: limits.outputCharacters,
        stderr: limits.outputCharacters,
        value: limits.outputCharacters,
        files: limits.outputFiles,
        file_bytes: limits.outputBytes,
        megabytes: limits.pythonMegabytes,
        packages: chosen.map(({ title }) => title),
        withheld: BLOCKED_MODULES,
      },
      ...more,
    };
    // A character can take six bytes in JSON, and it is encoded twice.
    const maxReplyLength = 12 * (4 * limits.outputCharacters + 20_000) + 2 * limits.outputBytes;
    return { command, start, maxReplyLength, residentBytes: start.residentBytes };
  }

  const cache = lazily(() => openSnapshotCache(join(cacheFolder, 'python'), runtime));
  const snapshot = lazily(async () => {
    const file = await cache.get();
    return file.get(async () =>
      takeSnapshot(await slotOptions(null, [], { makesSnapshot: true, timeZones: await readTimeZones() })),
    );
  });

  return async () => {
    const chosen = await packages.files();
    const kept = snapshot.get();
    try {
      return await startSlot(await slotOptions(await kept, chosen, {}));
    } catch (error) {
      if (!(error instanceof SlotFailure)) throw error;
      // When several slots fail to start, the snapshot is created again once for all of them.
      const isFirst = snapshot.renew(kept, async () => (await cache.get()).discard());
      if (isFirst) report?.('Python did not start from its snapshot, which is rebuilt.', error);
      return startSlot(await slotOptions(await snapshot.get(), chosen, {}));
    }
  };
}

interface Lazy<T> {
  get(): Promise<T>;
  /** Creates the value again after `before`, if the current one is still `made`; returns whether it was. */
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

/** Without it, Node does not load the slot's script as an ES module. */
function packageFile(folder: string): string {
  for (let path = folder; ; path = dirname(path)) {
    const file = join(path, 'package.json');
    if (existsSync(file) || dirname(path) === path) return file;
  }
}

function encodeRequest({ code, inputs, files, milliseconds }: PythonRequest, limits: SandboxLimits): string {
  if (code.length > limits.codeCharacters) {
    throw new ServiceError(
      'too_large',
      `The code has ${code.length} characters; at most ${limits.codeCharacters} are taken. Hand data in as files or inputs.`,
    );
  }
  if (milliseconds !== undefined && milliseconds > limits.maxMilliseconds) {
    throw new ServiceError('invalid_request', `At most ${limits.maxMilliseconds} ms are given to a call.`);
  }
  const strange = files.find(({ name }) => !isSafeName(name));
  if (strange !== undefined) {
    throw new ServiceError(
      'invalid_request',
      `"${strange.name}" cannot be a file's name here: give a relative path such as data/sales.csv.`,
    );
  }
  const encoded = files.map(({ name, bytes }) => ({ name, base64: Buffer.from(bytes).toString('base64') }));
  const text = JSON.stringify({ code, inputs, files: encoded });
  const size = files.reduce((sum, { bytes }) => sum + bytes.byteLength, Buffer.byteLength(JSON.stringify(inputs)));
  if (size > limits.inputBytes) {
    throw new ServiceError('too_large', `Files and inputs have ${size} bytes; at most ${limits.inputBytes} are taken.`);
  }
  return text;
}

const isFatal = ({ end }: Pick<PythonResult, 'end'>): boolean =>
  end === 'timeout' || end === 'memory' || end === 'crash';

interface RunLimits {
  readonly limits: SandboxLimits;
  readonly milliseconds: number;
  readonly request: PythonRequest;
}

type Outcome = Omit<PythonResult, 'sessionLost' | 'milliseconds'>;

function toResult(answer: SlotAnswer, { limits, milliseconds }: RunLimits): Outcome {
  if (answer.kind !== 'reply') return ended(answer.kind, limits, milliseconds, answer.printed);
  const reply = readReply(answer.text, limits);
  if (reply === undefined) return ended('crash', limits, milliseconds);
  return reply.end === 'memory' || reply.end === 'crash' ? ended(reply.end, limits, milliseconds) : reply;
}

/** The code was ended from outside. */
function ended(
  end: 'timeout' | 'memory' | 'crash',
  limits: SandboxLimits,
  milliseconds: number,
  printed?: Printed,
): Outcome {
  const captured = (text = '') => {
    const shown = text.slice(0, limits.outputCharacters);
    return { text: shown, characters: text.length, isTruncated: shown.length < text.length };
  };
  const messages = {
    timeout: `The code ran longer than ${milliseconds / 1000} s and was ended.${printed ? '' : ' What it had printed is lost.'}`,
    memory: `The code took more memory than it is given (${limits.pythonMegabytes} MB) and was ended.`,
    crash: 'The interpreter broke down and was ended.',
  };
  const types = { timeout: 'TimeoutError', memory: 'MemoryError', crash: 'SystemError' };
  return {
    end,
    stdout: captured(printed?.stdout),
    stderr: captured(printed?.stderr),
    error: { type: types[end], message: messages[end], traceback: '' },
    files: [],
    skippedFiles: [],
  };
}

function cannotStart(cause: SlotFailure): ServiceError {
  const [line = ''] = cause.message.split('\n');
  return new ServiceError('not_configured', `Python cannot be started here: ${line.slice(0, 300)}`, { cause });
}

const ZONE_FOLDER = '/usr/share/zoneinfo';
// Signature of TZif files.
const MAGIC = 'TZif';
const MAX_ZONE_BYTES = 20_000;
const SKIPPED_ZONES = /^(posix|right|posixrules|localtime|Factory|\.)/;

/** TZif files of this machine's time zones in base64 by name; empty on systems without /usr/share/zoneinfo. */
async function readTimeZones(folder: string = ZONE_FOLDER): Promise<Readonly<Record<string, string>>> {
  const names = await readdir(folder, { recursive: true }).catch(() => []);
  const zones = await Promise.all(
    names
      .filter((name) => !SKIPPED_ZONES.test(name))
      .sort()
      .map(async (name) => readZone(folder, name)),
  );
  return Object.fromEntries(zones.filter((zone) => zone !== undefined));
}

async function readZone(folder: string, name: string): Promise<[string, string] | undefined> {
  try {
    const bytes = await readFile(join(folder, name));
    const isZone = bytes.length < MAX_ZONE_BYTES && bytes.subarray(0, MAGIC.length).toString('latin1') === MAGIC;
    return isZone ? [name.replaceAll('\\', '/'), bytes.toString('base64')] : undefined;
  } catch {
    return undefined;
  }
}
