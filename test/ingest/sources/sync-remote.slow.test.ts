import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { newId } from '../../../src/documents/ids.ts';
import { ServiceError } from '../../../src/errors.ts';
import type { FolderTarget } from '../../../src/ingest/folders/folder-target.ts';
import { syncRemote } from '../../../src/ingest/sources/sync-remote.ts';
import { describeEngines } from '../../support/engines.ts';
import { addRemoteSource, followOver, SOURCE, sourceOfFiles } from '../../support/remote-source.ts';

const KILLED_OF = 120;
const filesOf = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, number) => [`${number}.md`, `Text ${number}.`]));

describeEngines('A long synchronisation', (engine) => {
  // Many are the same work on either engine, and each is a transaction.
  const ITEMS = engine.name === 'SQLite' ? 2_000 : 300;

  it('continues after the process was killed, without loss or duplicates', async () => {
    const store = await engine.openTestStore();
    await store.close();
    const program = fileURLToPath(new URL('../../support/sync-endlessly.ts', import.meta.url));
    const child = spawn(process.execPath, [program, store.path, `${KILLED_OF}`], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const done: string[] = [];
    for await (const line of createInterface({ input: child.stdout })) {
      if (done.push(line) === 20) child.kill('SIGKILL');
    }
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    expect(child.signalCode).toBe('SIGKILL');
    const { sync, titles } = await followOver(await store.reopen());
    const source = sourceOfFiles(filesOf(KILLED_OF));
    await sync(source, { signal: AbortSignal.timeout(300_000) });
    const again = source.reads();
    for (const name of done) expect(again).not.toContain(name);
    expect((await titles()).sort()).toEqual(Object.keys(filesOf(KILLED_OF)).sort());
    expect(await sync(source)).toEqual({});
  });

  it(`follows ${ITEMS} items, and remembers that all of them failed`, async () => {
    const { followed: records } = await engine.openTestStore();
    await addRemoteSource(records);
    const source = sourceOfFiles(filesOf(ITEMS));
    // What documents cost is measured elsewhere.
    const held = new Map<string, string>();
    const target: Pick<FolderTarget, 'ingest' | 'documentOf' | 'updateSource' | 'deleteDocuments'> = {
      async ingest({ source: uri }) {
        const outcome = held.has(uri) ? 'replaced' : 'ingested';
        held.set(uri, uri);
        return { outcome, documentId: uri };
      },
      documentOf: async (uri) =>
        held.has(uri) ? { id: uri, source: uri, contentHash: '', status: 'success' } : undefined,
      updateSource: async () => undefined,
      deleteDocuments: async (ids) => {
        for (const id of ids) held.delete(id);
      },
    };
    const run = async (now = Date.now()) => {
      const counts: Record<string, number> = {};
      const steps = syncRemote({
        id: SOURCE,
        pass: newId(),
        connector: source.connector,
        records,
        target,
        isFull: false,
        keepDeleted: false,
        maxBytesOf: () => 1_000_000,
        isSupported: () => true,
        now: () => now,
        signal: AbortSignal.timeout(300_000),
      });
      for await (const { outcome } of steps) counts[outcome] = (counts[outcome] ?? 0) + 1;
      return counts;
    };
    source.listAll();
    const away = new ServiceError('provider_failed', 'It is away.', { retryAfter: 10_000 });
    for (const key of Object.keys(filesOf(ITEMS))) source.failing.set(key, away);
    const at = Date.now();
    expect(await run(at)).toEqual({ failed: ITEMS });
    expect(await run(at + 1)).toEqual({ waiting: ITEMS });
    expect((await records.latestFailures(SOURCE, 3)).count).toBe(ITEMS);
    source.failing.clear();
    expect(await run(at + 20_000_000)).toEqual({ ingested: ITEMS });
    expect((await records.latestFailures(SOURCE, 3)).count).toBe(0);
    source.reads();
    expect(await run()).toEqual({ unchanged: ITEMS });
    expect(source.reads()).toEqual([]);
    for (let number = 0; number < ITEMS; number += 2) source.remove(`${number}.md`);
    expect(await run()).toEqual({ unchanged: ITEMS / 2, removed: ITEMS / 2 });
  });
});
