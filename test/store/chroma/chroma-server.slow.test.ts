import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { ChromaServer, type ServerRecovery } from '../../../src/store/chroma/chroma-server.ts';
import { launchServer } from '../../../src/store/chroma/launch-server.ts';
import { recordServer } from '../../../src/store/chroma/leftover-server.ts';
import { findBindingPackage, loadableBinding, thisHost } from '../../../src/store/chroma/loadable-binding.ts';
import { readStartTime } from '../../../src/store/process-identity.ts';
import { bindingCache, silentLog } from '../../support/embedded-chroma.ts';
import { PATIENT, PROMPTLY_MS } from '../../support/patience.ts';
import { suspend } from '../../support/suspend.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** A slow machine may need this long until the server answers. */
const START_MS = 60_000;

let binding = '';
beforeAll(async () => {
  const host = thisHost();
  binding = await loadableBinding(await findBindingPackage(host), host, bindingCache);
});

const startServer = (folder: string, file = binding): ChromaServer => {
  const server = new ChromaServer({ folder, binding: async () => file, log: silentLog });
  onTestFinished(() => server.stop());
  return server;
};

const isRunning = async (pid: number): Promise<boolean> => (await readStartTime(pid)) !== undefined;

const pidOf = (server: ChromaServer): number => {
  if (server.state.kind !== 'running') throw new Error(`The server is ${server.state.kind}.`);
  return server.state.pid;
};

const until = (condition: () => boolean | Promise<boolean>) => vi.waitUntil(condition, PATIENT);

/** A process that starts a Chroma, and the number of that Chroma's process. */
async function startParent(folder: string) {
  const program = fileURLToPath(new URL('./parent-process.ts', import.meta.url));
  const parent = spawn(process.execPath, [program, folder, bindingCache], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void parent.kill('SIGKILL'));
  const [line] = await once(parent.stdout, 'data');
  const { pid } = JSON.parse(String(line)) as { readonly pid: number };
  onTestFinished(() => {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has ended, as it should.
    }
  });
  expect(await isRunning(pid)).toBe(true);
  return { parent, pid };
}

describe('the embedded Chroma server', () => {
  it('starts and stops promptly and leaves no process', async () => {
    const startedAt = performance.now();
    const server = startServer(join(await temporaryFolder(), 'chroma'));
    const response = await fetch(`${await server.url(START_MS)}/api/v2/heartbeat`);
    expect(response.ok).toBe(true);
    await response.arrayBuffer();
    const pid = pidOf(server);
    await server.stop();
    expect(performance.now() - startedAt).toBeLessThan(PROMPTLY_MS);
    expect(await isRunning(pid)).toBe(false);
    await expect(server.url(100)).rejects.toMatchObject({ code: 'store_failed' });
  });

  it('can be stopped while it starts', async () => {
    const folder = await temporaryFolder();
    const server = startServer(join(folder, 'chroma'));
    await until(() => existsSync(join(folder, 'chroma.pid')));
    const { pid } = JSON.parse(await readFile(join(folder, 'chroma.pid'), 'utf8'));
    const startedAt = performance.now();
    await server.stop();
    expect(performance.now() - startedAt).toBeLessThan(PROMPTLY_MS);
    expect(await isRunning(pid)).toBe(false);
  });

  it('restarts by itself after a crash and reports it', async () => {
    const server = startServer(join(await temporaryFolder(), 'chroma'));
    const recoveries: ServerRecovery[] = [];
    server.onRecovered((recovery) => recoveries.push(recovery));
    await server.url(START_MS);
    const first = pidOf(server);
    process.kill(first, 'SIGKILL');
    await until(() => recoveries.length === 1);
    expect(recoveries).toEqual(['restarted']);
    expect(pidOf(server)).not.toBe(first);
  });

  it('starts empty on files that are damaged, and removes them', async () => {
    const folder = await temporaryFolder();
    await mkdir(join(folder, 'chroma'));
    await writeFile(join(folder, 'chroma', 'chroma.sqlite3'), 'no database '.repeat(1000));
    const server = startServer(join(folder, 'chroma'));
    const recoveries: ServerRecovery[] = [];
    server.onRecovered((recovery) => recoveries.push(recovery));
    await server.url(START_MS);
    expect(recoveries).toEqual(['emptied']);
    expect(existsSync(join(folder, 'chroma.damaged'))).toBe(false);
  });

  it('keeps the files when something else prevents its start', async () => {
    const folder = await temporaryFolder();
    await mkdir(join(folder, 'chroma'));
    await writeFile(join(folder, 'chroma', 'kept'), 'kept');
    const noModule = join(folder, 'no-module.node');
    await writeFile(noModule, 'no module');
    const server = startServer(join(folder, 'chroma'), noModule);
    await expect(server.url(START_MS)).rejects.toMatchObject({
      code: 'store_failed',
      message: expect.stringMatching(/cannot start on .*no-module\.node: .*CHROMA_URL/),
    });
    expect(await readFile(join(folder, 'chroma', 'kept'), 'utf8')).toBe('kept');
  });

  it('writes nothing about ordinary requests, which would slow them down', async () => {
    const folder = await temporaryFolder();
    const server = await launchServer({
      binding,
      folder: join(folder, 'chroma'),
      readyWithinMs: START_MS,
      onProcess: async () => undefined,
      signal: new AbortController().signal,
    });
    onTestFinished(() => server.stop());
    const database = `http://127.0.0.1:${server.port}/api/v2/tenants/default_tenant/databases/default_database`;
    const response = await fetch(`${database}/collections`);
    expect(await response.json()).toEqual([]);
    await server.stop();
    expect((await server.ended).words).not.toMatch(/request|\/api\/v2/);
  });

  it.each(['running', 'stopped'])('ends an orphaned server on the same files: %s', async (state) => {
    const folder = await temporaryFolder();
    await mkdir(join(folder, 'chroma'));
    const leftover = await launchServer({
      binding,
      folder: join(folder, 'chroma'),
      readyWithinMs: START_MS,
      onProcess: (pid) => recordServer({ file: join(folder, 'chroma.pid'), folder: join(folder, 'chroma') }, pid),
      signal: new AbortController().signal,
    });
    onTestFinished(() => leftover.stop());
    if (state === 'stopped') await suspend(leftover.pid);
    const server = startServer(join(folder, 'chroma'));
    await server.url(START_MS);
    expect(await isRunning(leftover.pid)).toBe(false);
    expect(pidOf(server)).not.toBe(leftover.pid);
  });

  it('leaves the server of another folder alone when started on a copy of that one', async () => {
    const folder = await temporaryFolder();
    const original = startServer(join(folder, 'original', 'chroma'));
    await mkdir(join(folder, 'original'));
    await original.url(START_MS);
    await cp(join(folder, 'original'), join(folder, 'copy'), { recursive: true });
    const copy = startServer(join(folder, 'copy', 'chroma'));
    await copy.url(START_MS);
    expect(await isRunning(pidOf(original))).toBe(true);
    expect(pidOf(copy)).not.toBe(pidOf(original));
  });

  it('never ends a process that reuses the pid of a former server', async () => {
    const folder = await temporaryFolder();
    const bystander = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
    onTestFinished(() => void bystander.kill('SIGKILL'));
    await once(bystander, 'spawn');
    await writeFile(join(folder, 'chroma.pid'), JSON.stringify({ pid: bystander.pid, startTime: 'another time' }));
    await startServer(join(folder, 'chroma')).url(START_MS);
    expect(await isRunning(bystander.pid ?? 0)).toBe(true);
  });

  it('does not outlive a parent that is killed while it is stopped', async () => {
    const { parent, pid } = await startParent(join(await temporaryFolder(), 'chroma'));
    await suspend(pid);
    parent.kill('SIGKILL');
    await until(async () => !(await isRunning(pid)));
  });

  it('does not outlive a parent that is killed, and the next start finds what was stored', async () => {
    const folder = join(await temporaryFolder(), 'chroma');
    const { parent, pid } = await startParent(folder);
    parent.kill('SIGKILL');
    await until(async () => !(await isRunning(pid)));
    const server = startServer(folder);
    const collections = 'api/v2/tenants/default_tenant/databases/default_database/collections';
    const response = await fetch(new URL(collections, await server.url(START_MS)));
    expect(await response.json()).toMatchObject([{ name: 'citewell-kept' }]);
  });

  it('deletes everything on request', async () => {
    const server = startServer(join(await temporaryFolder(), 'chroma'));
    const recoveries: ServerRecovery[] = [];
    server.onRecovered((recovery) => recoveries.push(recovery));
    await server.url(START_MS);
    const first = pidOf(server);
    await server.empty();
    await server.url(START_MS);
    expect(pidOf(server)).not.toBe(first);
    expect(recoveries).toEqual(['emptied']);
  });

  it('reports how long a caller has waited for a slow start, and releases an aborted one', async () => {
    const never = Promise.withResolvers<string>();
    const server = new ChromaServer({
      folder: join(await temporaryFolder(), 'chroma'),
      binding: () => never.promise,
      log: silentLog,
    });
    onTestFinished(async () => {
      never.reject(new Error('over'));
      await server.stop();
    });
    await expect(server.url(50)).rejects.toThrow('still starting after 0.05 s');
    await expect(server.url(5_000, AbortSignal.timeout(20))).rejects.toMatchObject({ code: 'cancelled' });
  });
});
