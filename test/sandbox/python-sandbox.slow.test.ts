import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { constants, getPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openSandbox } from '../../scripts/open-sandbox.ts';
import { defaultSandboxLimits } from '../../src/sandbox/default-limits.ts';
import { createPythonSandbox } from '../../src/sandbox/python-sandbox.ts';
import { findRuntime } from '../../src/sandbox/runtime.ts';
import type { PythonRequest } from '../../src/sandbox/sandbox.ts';
import { PATIENT } from '../support/patience.ts';

const { signal } = new AbortController();
const BELOW_NORMAL = constants.priority.PRIORITY_BELOW_NORMAL;

describe('Python in the sandbox', () => {
  let sandbox: Awaited<ReturnType<typeof openSandbox>>;
  beforeAll(async () => {
    sandbox = await openSandbox({
      slots: 2,
      outputFiles: 2,
      outputBytes: 5_000,
      outputCharacters: 1_000,
      inputBytes: 100_000,
    });
  });
  afterAll(() => sandbox.close());

  const run = (code: string, more: Partial<PythonRequest> = {}) =>
    sandbox.run({ code, inputs: {}, files: [], session: 'kept', ...more }, signal);

  it('gets inputs as variables and files in its working folder', async () => {
    const files = [{ name: 'data/a.csv', bytes: Buffer.from('x,y\n1,2\n') }];
    const { value } = await run('[n + 1, inputs["n"], open("data/a.csv").read()]', { inputs: { n: 4 }, files });
    expect(value).toMatchObject({ type: 'list', json: [5, 4, 'x,y\n1,2\n'] });
  });

  it('returns files below out/, within limits, and names the others', async () => {
    const { files, skippedFiles } = await run(
      'import os\nos.makedirs("out/b", exist_ok=True)\nopen("out/a.svg", "w").write("<svg/>")\nopen("out/b/c.txt", "w").write("c")\nopen("out/d.bin", "wb").write(bytes(9999))\nNone',
    );
    expect(files.map(({ name, bytes }) => [name, Buffer.from(bytes).toString()])).toEqual([
      ['a.svg', '<svg/>'],
      ['b/c.txt', 'c'],
    ]);
    expect(skippedFiles).toEqual([{ name: 'd.bin', bytes: 9999, reason: 'too many files' }]);
    expect((await run('1')).files).toEqual([]);
  });

  it.each([
    ['a file where a folder is', [{ name: 'out', bytes: Buffer.from('x') }]],
    [
      'a folder where a file is',
      [
        { name: 'plain', bytes: Buffer.from('x') },
        { name: 'plain/b', bytes: Buffer.from('x') },
      ],
    ],
  ])('reports %s among the given files, runs nothing and goes on', async (_what, files) => {
    await run('kept = 5');
    const { end, error, stdout } = await run('print("run")', { files });
    expect([end, error?.type, stdout.text]).toEqual(['exception', 'OSError', '']);
    expect(error?.message).toMatch(/^The file (out|plain\/b) could not be written: .+ Nothing was run\.$/);
    expect((await run('kept')).value?.json).toBe(5);
  });

  it('keeps files with any name, and names those that cannot be read', async () => {
    const { files, skippedFiles } = await run(
      'import os\nopen("out/Q3: results.csv", "w").write("1")\nopen("out/shut.txt", "w").write("2")\nos.chmod("out/shut.txt", 0)\nNone',
    );
    expect([...files, ...skippedFiles].map(({ name }) => name).sort()).toEqual(['Q3_ results.csv', 'shut.txt']);
    await run('os.remove("out/Q3: results.csv")\nos.remove("out/shut.txt")');
  });

  it('shows an error by its type, message and line, with the frames of the code alone', async () => {
    const { end, error } = await run('import json\ndef read(text):\n    return json.loads(text)\n\nread("{")');
    expect(end).toBe('exception');
    expect(error).toMatchObject({ type: 'json.decoder.JSONDecodeError', line: 3 });
    expect(error?.traceback).toMatch(
      /^Traceback[\s\S]+line 5, in <module>[\s\S]+line 3, in read[\s\S]+JSONDecodeError/,
    );
    expect(error?.traceback).not.toMatch(/json\/decoder|_sandbox/);
  });

  it('reports the position of a syntax error', async () => {
    const { error } = await run('x = 1\nif x\n    print(x)');
    expect(error).toMatchObject({ type: 'SyntaxError', message: "expected ':'", line: 2 });
  });

  it('reports the number of omitted characters of long outputs', async () => {
    const { stdout, value } = await run('print("é" * 5000)\n"y" * 3000');
    expect([stdout.text.length, stdout.characters, stdout.isTruncated]).toEqual([1_000, 5_001, true]);
    expect([value?.repr.length, value?.isTruncated, value?.json]).toEqual([1_000, true, undefined]);
  });

  it.each([
    ['1 + 1j', undefined],
    ['float("nan")', undefined],
    ['2**60', undefined],
    ['{1: 2}', undefined],
    ['(1, [2.5, None, {"a": True}])', [1, [2.5, null, { a: true }]]],
  ])('returns the value of %s as JSON only when that is lossless', async (code, json) => {
    expect((await run(code)).value?.json).toEqual(json);
  });

  it('reports how a program ended itself', async () => {
    expect(await run('import sys\nsys.exit(3)')).toMatchObject({ end: 'exit', exitCode: 3 });
    expect(await run('raise SystemExit')).toMatchObject({ end: 'exit', exitCode: 0 });
    expect(await run('exit("no")')).toMatchObject({ end: 'exit', exitCode: 1, stderr: { text: 'no\n' } });
  });

  it('keeps variables in a session, and nothing without one', async () => {
    await run('kept = 5');
    expect((await run('kept + 1')).value?.repr).toBe('6');
    const other = await sandbox.run({ code: 'kept', inputs: {}, files: [] }, signal);
    expect(other.error?.type).toBe('NameError');
    const restarted = await run('kept', { reset: true });
    expect([restarted.error?.type, restarted.sessionLost]).toEqual(['NameError', false]);
  });

  it('keeps a session after errors and a MemoryError', async () => {
    await run('kept = 7');
    await run('1 / 0');
    await run('x = "a" * 10**9');
    expect(await run('kept')).toMatchObject({ value: { repr: '7' }, sessionLost: false });
  });

  it('goes on after recursion that is too deep, in Python or in C', async () => {
    await run('kept = 8\na = []\nfor _ in range(20_000): a = [a]');
    const code = `
import json, pickle, sys
sys.setrecursionlimit(10**9)
def endless(n): return endless(n + 1)
ended = []
for deep in (lambda: pickle.dumps(a), lambda: json.dumps(a), lambda: repr(a), lambda: endless(0),
             lambda: compile('a' + '.b' * 100_000, 'x', 'eval')):
    try: ended.append(len(deep()))
    except RecursionError: ended.append('too deep')
ended`;
    const { value, error } = await run(code);
    expect(value?.json, error?.message).toEqual([60_014, 40_002, 40_002, 'too deep', 'too deep']);
    expect(await run('kept')).toMatchObject({ value: { repr: '8' }, sessionLost: false });
  });

  it('continues when its folders are removed or made inaccessible', async () => {
    await run('import os, shutil\nos.chdir("/")\nshutil.rmtree("/home/user")', { reset: true });
    await run('open("out/a.txt", "w").write("1")\nopen("shut", "w").write("1")\nos.chmod("shut", 0)');
    await run('os.chmod("/home/user/out", 0)\nos.chmod("/home/user", 0)');
    const files = [{ name: 'shut', bytes: Buffer.from('2') }];
    const { value, error } = await run('[open("shut").read(), os.listdir("out")]', { files });
    expect(value?.json, error?.message).toEqual(['2', ['a.txt']]);
  });

  it('has its files again after its slot was lost, and says so', async () => {
    await run('open("data.txt", "w").write("1")\nopen("out/Q3: a.csv", "w").write("2")', { reset: true });
    const lost = await run('open("data.txt", "w").write("3")\nimport os\nos.kill(os.getpid(), 11)');
    const after = await run('[open("data.txt").read(), open("out/Q3: a.csv").read()]');
    // So that the code's own changes are later, also within a tick of the clock.
    const age = await run('import os, time\ntime.time() - os.stat("data.txt").st_mtime >= 1');
    expect(age.value?.json, age.error?.message).toBe(true);
    expect([lost.sessionLost, lost.end, after.sessionLost]).toEqual([true, 'crash', true]);
    expect([lost.restoredFiles, after.restoredFiles, after.value?.json]).toEqual([2, 2, ['1', '2']]);
    expect(after.files).toEqual([]);
    expect(await run('1')).toMatchObject({ sessionLost: false, restoredFiles: 0 });
    const restarted = await run('import os\nos.listdir()', { reset: true });
    expect([restarted.value?.json, restarted.sessionLost]).toEqual([['out'], false]);
  });

  it('has its files again when other sessions needed its slot', async () => {
    const sessions = ['turn-a', 'turn-b', 'turn-c'];
    for (const session of sessions) await run(`open("own.txt", "w").write("${session}")`, { session });
    const first = await run('open("own.txt").read()', { session: 'turn-a' });
    expect([first.value?.json, first.sessionLost, first.restoredFiles]).toEqual(['turn-a', true, 1]);
  });

  it('continues without keeping files for which no memory is left', async () => {
    const code = 'open("large.bin", "wb").write(b"x" * 19_000_000)\ndata = bytearray(170_000_000)\nlen(data)';
    const full = await run(code, { reset: true });
    expect([full.end, full.value?.json], full.error?.message).toEqual(['finished', 170_000_000]);
    expect(await run('len(data)')).toMatchObject({ end: 'finished', sessionLost: false });
    const lost = await run('import os\nos.kill(os.getpid(), 11)');
    expect([lost.restoredFiles, lost.lostFiles]).toEqual([0, ['large.bin']]);
  });

  it('has many megabytes of files again beside text that is not ASCII', async () => {
    await run('open("large.bin", "wb").write(b"x" * 19_000_000)', { reset: true });
    await run('import os\nos.kill(os.getpid(), 11)');
    const after = await run('import os\nfill = bytearray(60_000_000)\n[os.path.getsize("large.bin"), "é🐍"]');
    expect(after.value?.json, after.error?.message).toEqual([19_000_000, 'é🐍']);
  });

  it('has a different random seed in every slot', async () => {
    const code = 'import os, random, uuid\n[random.random(), os.urandom(8), uuid.uuid4()]';
    const values = await Promise.all([1, 2].map(() => sandbox.run({ code, inputs: {}, files: [] }, signal)));
    expect(values[0]?.value?.repr).toBeDefined();
    expect(values[0]?.value?.repr).not.toBe(values[1]?.value?.repr);
  });

  it('is ended when its caller aborts', async () => {
    const leaving = new AbortController();
    const running = sandbox.run({ code: 'while True: pass', inputs: {}, files: [] }, leaving.signal);
    setTimeout(() => leaving.abort(new Error('left')), 300);
    await expect(running).rejects.toThrow('left');
    expect((await run('1')).value?.repr).toBe('1');
  });

  it.each<[string, Partial<PythonRequest>, RegExp]>([
    ['too much code', { code: `#${'x'.repeat(200_000)}` }, /The code has 200001 characters/],
    ['too much data', { files: [{ name: 'a', bytes: new Uint8Array(200_000) }] }, /have 200002 bytes/],
    ['a name that leads outside', { files: [{ name: '../a', bytes: new Uint8Array(1) }] }, /cannot be a file's name/],
    ['an absolute name', { files: [{ name: '/etc/a', bytes: new Uint8Array(1) }] }, /cannot be a file's name/],
    ['more time than there is', { milliseconds: 10_000_000 }, /At most 60000 ms/],
  ])('refuses %s', async (_, request, expected) => {
    await expect(run('1', request)).rejects.toThrow(expected);
  });
});

describe('code that tampers with the report of its files', () => {
  it('has no more kept than the limit, and honest reports are kept again afterwards', async () => {
    const sandbox = await openSandbox({ slots: 1, keptBytes: 1_000 });
    const run = (code: string) => sandbox.run({ code, inputs: {}, files: [], session: 'a' }, signal);
    try {
      await run('open("own.txt", "w").write("1")');
      const tampered = await run(`
import base64, gc
workspace = next(each for each in gc.get_objects() if getattr(each, '__name__', '') == '_workspace')
honest, count = workspace.changes, 0
def lie(*_):
    global count
    count += 1
    data = base64.b64encode(bytes(900)).decode()
    return {'changed': [{'name': f'{count}.txt', 'base64': data}], 'removed': [], 'too_large': []}
workspace.changes = lie`);
      expect(tampered.end, tampered.error?.message).toBe('finished');
      await run('count');
      await run('workspace.changes = honest');
      const lost = await run('import os\nos.kill(os.getpid(), 11)');
      expect([lost.end, lost.restoredFiles]).toEqual(['crash', 1]);
      expect((await run('import os\nsorted(os.listdir())')).value?.json).toEqual(['out', 'own.txt']);
    } finally {
      await sandbox.close();
    }
  });
});

describe('the processes of the sandbox', () => {
  it('end when their parent is killed', async () => {
    const parent = spawn(process.execPath, [join(import.meta.dirname, 'support', 'parent.ts')], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line] = await once(parent.stdout, 'data');
    const pids: number[] = JSON.parse(String(line));
    expect(pids.length).toBeGreaterThan(0);
    parent.kill('SIGKILL');
    await vi.waitFor(async () => {
      for (const pid of pids) expect(isRunning(pid)).toBe(false);
    }, PATIENT);
  });

  it('start without the snapshot when its file is damaged', async () => {
    const cacheFolder = await mkdtemp(join(tmpdir(), 'citewell-snapshot-'));
    const search = findRuntime();
    if (!search.found) throw new Error(search.reason);
    const { runtime } = search;
    const reports: string[] = [];
    const open = () =>
      createPythonSandbox({
        runtime,
        layers: async () => ({ bubblewrap: { absent: 'not looked for' }, kernelLimits: true }),
        limits: { ...defaultSandboxLimits, queuedMilliseconds: PATIENT.timeout },
        cacheFolder,
        packages: { files: async () => [] },
        report: (message) => reports.push(message),
      });
    try {
      const first = open();
      expect((await first.run({ code: '1', inputs: {}, files: [] }, signal)).value?.repr).toBe('1');
      await first.close();
      const [name = ''] = await readdir(join(cacheFolder, 'python'));
      const file = join(cacheFolder, 'python', name);
      expect([(await stat(file)).mode & 0o777, (await stat(join(cacheFolder, 'python'))).mode & 0o777]).toEqual([
        0o600, 0o700,
      ]);
      await writeFile(file, (await readFile(file)).subarray(0, 1_000_000));
      const second = open();
      expect((await second.run({ code: '2', inputs: {}, files: [] }, signal)).value?.repr).toBe('2');
      await second.close();
      expect(reports).toEqual([expect.stringContaining('is rebuilt')]);
      expect((await stat(file)).size).toBeGreaterThan(20_000_000);
    } finally {
      await rm(cacheFolder, { recursive: true });
    }
  });

  it.runIf(process.platform === 'linux')(
    'have an empty environment, limits of the kernel and a low priority',
    async () => {
      const sandbox = await openSandbox({ slots: 1 });
      try {
        await sandbox.run({ code: '1', inputs: {}, files: [], session: 'a' }, signal);
        const pids = await slotsOf(process.pid);
        expect(pids.length).toBeGreaterThan(0);
        for (const pid of pids) {
          expect(await readFile(`/proc/${pid}/environ`, 'utf8')).not.toMatch(/PATH|HOME|CITEWELL/);
          const limits = await readFile(`/proc/${pid}/limits`, 'utf8');
          expect(limits).toMatch(/Max core file size\s+0\s/);
          expect(limits).toMatch(/Max file size\s+0\s/);
          expect(limits).toMatch(/Max open files\s+64\s/);
          expect(limits).toMatch(/Max data size\s+\d{9,10}\s/);
          const threads = (await readdir(`/proc/${pid}/task`)).map(Number);
          for (const thread of threads) expect(getPriority(thread)).toBeGreaterThanOrEqual(BELOW_NORMAL);
        }
      } finally {
        await sandbox.close();
      }
    },
  );
});

async function slotsOf(parent: number): Promise<number[]> {
  const { stdout } = await promisify(execFile)('ps', ['-o', 'pid=,args=', '--ppid', String(parent)]);
  return stdout.split('\n').flatMap((line) => (line.includes('slot-process') ? [Number.parseInt(line, 10)] : []));
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
