import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type ivm from 'isolated-vm';
import { patchPyodide } from './patch-pyodide.ts';
import type { Printed, SlotStart } from './slot-messages.ts';

/** A Python interpreter ready for untrusted code. Requests and replies are text only. */
export interface LockedPython {
  readonly isolate: ivm.Isolate;
  /** The guest's reply, which is untrusted. Rejects when the isolate ends or the reply is not text. */
  ask(request: string, milliseconds: number): Promise<string>;
  /** What the last call had written when it was ended, as far as it can be read. */
  printed(): Promise<Printed>;
}

/** Python before untrusted code: it can be saved as a snapshot, or locked permanently. */
interface FreshPython {
  lock(): Promise<LockedPython>;
  snapshot(): Promise<Uint8Array>;
}

const BOOT_LIMIT_MS = 60_000;
const PRINTED_LIMIT_MS = 500;
const HARNESS_FOLDER = '/lib/citewell';
const HARNESS = ['workspace', 'sandbox'];
const PACKAGES = '/lib/packages';

/** Boots CPython in a new isolate; docs/sandbox.md explains the design. */
export async function bootIsolate(vm: typeof ivm, start: SlotStart): Promise<FreshPython> {
  const isolate = new vm.Isolate({
    memoryLimit: start.isolateMegabytes,
    onCatastrophicError: () => process.abort(),
  });
  const context = await isolate.createContext();
  const program = await compileProgram(isolate, context, start.pyodide);
  const create: Callable = await program.namespace.get('createPython', { reference: true });
  const settings = JSON.stringify({
    lock: await readLock(start.pyodide),
    seed: start.seed,
    makesSnapshot: start.makesSnapshot,
  });
  const files = (await readFiles(start)).flatMap(([name, bytes]) => [name, intoIsolate(vm, bytes)]);
  const python: ivm.Reference = await create.apply(undefined, [settings, ...files], { result: { reference: true } });
  const method = async (name: string): Promise<Callable> => python.get(name, { reference: true });

  await untilReady(await method('drain'));
  const [addFile, run] = [await method('addFile'), await method('runPython')];
  for (const { file, name } of start.packages) {
    await addFile.apply(undefined, [`${PACKAGES}/${name}`, intoIsolate(vm, await readFile(file))]);
  }
  if (start.snapshot === null) {
    for (const name of HARNESS) {
      const source = await readFile(new URL(`./python/${name}.py`, import.meta.url));
      await addFile.apply(undefined, [`${HARNESS_FOLDER}/_${name}.py`, intoIsolate(vm, source)]);
    }
    await run.apply(undefined, [warmUp(start.timeZones), '<start>']);
  }

  const compiled = start.packages.filter(({ kind }) => kind === 'unpacked').map(({ name }) => `${PACKAGES}/${name}`);
  if (compiled.length > 0) {
    await (await method('link')).apply(undefined, [JSON.stringify(compiled)]);
    await untilReady(await method('drain'));
  }

  return {
    async lock() {
      const path = start.packages.filter(({ kind }) => kind === 'archive').map(({ name }) => `${PACKAGES}/${name}`);
      const harness = JSON.stringify({ ...start.harness, path });
      const answer: Callable = await (await method('lock')).apply(undefined, [harness], {
        result: { reference: true },
      });
      const printed = await method('printed');
      return {
        isolate,
        async printed() {
          const text: unknown = await printed.apply(undefined, [], { timeout: PRINTED_LIMIT_MS });
          const { stdout, stderr } = JSON.parse(String(text));
          return { stdout: fromBytes(stdout), stderr: fromBytes(stderr) };
        },
        async ask(request, timeout) {
          const reply: unknown = await answer.apply(undefined, [request], { timeout });
          if (typeof reply !== 'string' || reply === '') throw new Error('The reply is not a string or is empty.');
          return reply;
        },
      };
    },
    async snapshot() {
      const copy: unknown = await (await method('snapshot')).apply(undefined, [], { result: { copy: true } });
      if (!(copy instanceof ArrayBuffer)) throw new Error('The snapshot is not an ArrayBuffer.');
      return new Uint8Array(copy);
    },
  };
}

/** Decodes output, which the isolate stores as one character per byte. */
const fromBytes = (text: unknown): string => Buffer.from(String(text), 'latin1').toString();

/** A function of the isolate; its return values are untrusted. */
type Callable = ivm.Reference;

/** Turns JSON into a Python string literal; escapes the characters that end a line in Python only. */
const pythonText = (text: string): string =>
  JSON.stringify(text).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029');

function intoIsolate(vm: typeof ivm, bytes: Uint8Array): ivm.Copy<ArrayBuffer> {
  const own =
    bytes.buffer instanceof ArrayBuffer && bytes.byteLength === bytes.buffer.byteLength
      ? bytes.buffer
      : bytes.slice().buffer;
  return new vm.ExternalCopy(own, { transferOut: true }).copyInto({ release: true, transferIn: true });
}

/** Run before the snapshot is taken: loads the harness, common modules and time zones. */
const warmUp = (timeZones: SlotStart['timeZones']): string => `
import sys
sys.path.append('${HARNESS_FOLDER}')
import bisect, calendar, collections, csv, dataclasses, datetime, decimal, enum, fractions, functools, heapq, html
import hashlib, itertools, math, operator, pathlib, pickle, re, sqlite3, statistics, string, struct, tempfile, textwrap
import typing, unicodedata, warnings, uuid, zipfile, zoneinfo
import _sandbox
_sandbox.keep_time_zones(${pythonText(JSON.stringify(timeZones))})
`;

/** Runs the isolate's timers until Python has started, which depends on them. */
async function untilReady(drain: Callable): Promise<void> {
  const startedAt = performance.now();
  while (performance.now() - startedAt < BOOT_LIMIT_MS) {
    const state = await drain.apply(undefined, []);
    if (state === 'ready') return;
    if (state !== 'starting') throw new Error(String(state));
    await sleep(1);
  }
  throw new Error(`Python did not start within ${BOOT_LIMIT_MS / 1000} s.`);
}

async function readFiles({ pyodide, snapshot }: SlotStart): Promise<[string, Uint8Array][]> {
  const names = ['pyodide.asm.wasm', 'python_stdlib.zip'];
  const files = await Promise.all(
    names.map(async (name): Promise<[string, Uint8Array]> => [name, await readFile(join(pyodide, name))]),
  );
  return snapshot === null ? files : [...files, ['snapshot', await readFile(snapshot)]];
}

/** Only the header of the lock file, because Pyodide's package loader is not used. */
async function readLock(pyodide: string): Promise<unknown> {
  const { info }: { info: unknown } = JSON.parse(await readFile(join(pyodide, 'pyodide-lock.json'), 'utf8'));
  return { info, packages: {} };
}

/** The isolate's modules by import specifier. */
async function compileProgram(isolate: ivm.Isolate, context: ivm.Context, pyodide: string): Promise<ivm.Module> {
  const own = (name: string) => readFile(new URL(`./isolate/${name}`, import.meta.url), 'utf8');
  const sources = new Map([
    ['pyodide/pyodide.asm.mjs', patchPyodide(await readFile(join(pyodide, 'pyodide.asm.mjs'), 'utf8'))],
    ['pyodide/pyodide.mjs', await readFile(join(pyodide, 'pyodide.mjs'), 'utf8')],
    ['./prelude.js', await own('prelude.js')],
    ['./lockdown.js', await own('lockdown.js')],
    ['./python.js', await own('python.js')],
  ]);
  const modules = new Map<string, ivm.Module>();
  for (const [name, source] of sources)
    modules.set(name, await isolate.compileModule(source, { filename: `file:///${name}` }));
  const named = (name: string): ivm.Module => {
    const module = modules.get(name);
    if (module === undefined) throw new Error(`There is no module ${name}.`);
    return module;
  };
  // Pyodide detects its environment on import, so the prelude is evaluated first.
  const [prelude, program] = [named('./prelude.js'), named('./python.js')];
  await prelude.instantiate(context, named);
  await prelude.evaluate();
  await program.instantiate(context, named);
  await program.evaluate();
  return program;
}
