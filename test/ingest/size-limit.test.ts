import { truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { FolderTarget } from '../../src/ingest/folders/folder-target.ts';
import { maxBytesByName } from '../../src/ingest/folders/supported-files.ts';
import { syncPaths } from '../../src/ingest/folders/sync-folder.ts';
import { ingestAll } from '../../src/ingest/ingest-all.ts';
import { createSizeGuard } from '../../src/ingest/readers/size-limit.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const LARGE = 12_000_000;
const { signal } = new AbortController();
const TOO_LARGE =
  /^notes\.css has 12\.0 MB; a file of type css may have 10\.0 MB\. Split it, or raise CITEWELL_MAX_FILE_MB/;

/** A text and a PDF of this size by their beginnings; the rest of them takes no room on the disk. */
async function largeFiles() {
  const folder = await temporaryFolder();
  for (const [name, beginning] of [
    ['notes.css', 'a { color: red; }\n'.repeat(5_000)],
    ['scan.pdf', '%PDF-1.7\n'],
  ] as const) {
    await writeFile(join(folder, name), beginning);
    await truncate(join(folder, name), LARGE);
  }
  return folder;
}

it('a file larger than its format may be is refused by ingestion before it is read', async () => {
  const folder = await largeFiles();
  const given: string[] = [];
  const options = {
    metadata: {},
    collections: [],
    dataFolder: join(folder, '.citewell'),
    stop: signal,
    abandon: signal,
    client: {
      async ingest({ fileName }: { readonly fileName: string }) {
        given.push(fileName);
        return { outcome: 'ingested', documentId: null } as const;
      },
    },
  };
  const results: unknown[] = [];
  for await (const step of ingestAll([folder], options)) if (step.type === 'result') results.push(step);
  expect(given).toEqual(['scan.pdf']);
  expect(results).toContainEqual(
    expect.objectContaining({ outcome: 'failed', reason: expect.stringMatching(TOO_LARGE) }),
  );
  given.splice(0);
  for await (const _ of ingestAll([folder], { ...options, maxBytes: 2 * LARGE }));
  expect(given.sort()).toEqual(['notes.css', 'scan.pdf']);
});

it('a file larger than its format may be is refused by a followed folder before it is read', async () => {
  const folder = await largeFiles();
  const asked: string[] = [];
  const client: FolderTarget = {
    server: undefined,
    async documentOf(source) {
      asked.push(source);
      return undefined;
    },
    ingest: async () => ({ outcome: 'ingested', documentId: null }),
    documentsBelow: async () => [],
    updateSource: async () => undefined,
    deleteDocument: async () => undefined,
  };
  const path = join(folder, 'notes.css');
  const steps = syncPaths([path], {
    client,
    root: folder,
    metadata: {},
    collections: [],
    dataFolder: join(folder, '.citewell'),
    keepDeleted: true,
    duplicates: new Map(),
    settleMs: () => 0,
    stop: signal,
    abandon: signal,
  });
  expect(await Array.fromAsync(steps)).toEqual([
    { type: 'document', name: path, outcome: 'failed', documentId: null, reason: expect.stringMatching(TOO_LARGE) },
  ]);
  expect(asked).toEqual([]);
});

it.each([
  ['scan.pdf', 200e6],
  ['notes.txt', 100e6],
  // It may be of another format than its name says.
  ['old.doc', 100e6],
  ['README', 200e6],
])('a file elsewhere called %s may have %d bytes', (name, bytes) => {
  expect(maxBytesByName(name)).toBe(bytes);
});

it('a file that arrives in pieces is refused as soon as it is larger than its format may be', async () => {
  const piece = Buffer.alloc(1_000_000, 'The ferry leaves at noon.\n');
  const sent = async (beginning: Uint8Array) => {
    const guard = createSizeGuard({ fileName: 'notes.txt' });
    await guard(beginning);
    for (let pieces = 1; pieces <= 150; pieces++) {
      const refusal = await guard(piece).catch((error: Error) => error.message);
      if (refusal !== undefined) return { pieces, refusal };
    }
    return undefined;
  };
  expect(await sent(piece)).toEqual({
    pieces: 100,
    refusal: expect.stringMatching(/^notes\.txt is larger than 100 MB, the limit of files of type txt\./),
  });
  expect(await sent(Buffer.from('%PDF-1.7\n'))).toBeUndefined();
});
