import { open, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { FolderTarget } from '../../src/ingest/folders/folder-target.ts';
import { maxBytesByName, refuseLarge } from '../../src/ingest/folders/supported-files.ts';
import { syncPaths } from '../../src/ingest/folders/sync-folder.ts';
import { ingestAll } from '../../src/ingest/ingest-all.ts';
import { createSizeGuard } from '../../src/ingest/readers/size-limit.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { makeZip } from './make-docx.ts';

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
    documentOf: async () => undefined,
    async documentsOf(sources) {
      asked.push(...sources);
      return sources.map(() => undefined);
    },
    ingest: async () => ({ outcome: 'ingested', documentId: null }),
    documentsBelow: async () => [],
    updateSource: async () => undefined,
    deleteDocuments: async () => undefined,
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

/** A zip archive with its directory at the end and, before it, nothing but a hole of this size. */
async function largeZip(path: string, names: readonly string[], size: number) {
  const buffer = Buffer.from(makeZip(names.map((name) => ({ name, content: 'x' }))));
  const end = buffer.length - 22;
  const directory = buffer.readUInt32LE(end + 16);
  const tail = buffer.subarray(directory);
  tail.writeUInt32LE(size - tail.length, tail.length - 22 + 16);
  await writeFile(path, buffer.subarray(0, directory));
  await truncate(path, size);
  const file = await open(path, 'r+');
  await file.write(tail, 0, tail.length, size - tail.length);
  await file.close();
}

it('an Office file or archive is refused by its directory, without the rest of it', async () => {
  const folder = await temporaryFolder();
  const refusal = async (fileName: string, size: number, names: readonly string[]) => {
    const path = join(folder, fileName);
    await largeZip(path, names, size);
    // Only the beginning and the directory are intact, so a reader of the whole file would find nothing to name.
    return refuseLarge(path, size).then(
      () => undefined,
      (error: Error) => error.message,
    );
  };
  const docx = ['[Content_Types].xml', 'word/document.xml'];
  const pptx = ['[Content_Types].xml', 'ppt/presentation.xml'];
  expect(await refusal('a.docx', 60e6, docx)).toMatch(/a file of type docx may have 50/);
  expect(await refusal('misnamed.docx', 60e6, pptx)).toBeUndefined();
  expect(await refusal('many.zip', 60e6, ['a.txt'])).toMatch(/a file of type zip may have 50/);
  expect(await refusal('many.zip', 45e6, ['a.txt'])).toBeUndefined();
  expect(
    await refusal(
      'comment',
      60e6,
      Array.from({ length: 3_000 }, (_, at) => `folder/name-of-${at}.txt`),
    ),
  ).toMatch(/a file of type zip may have 50/);
  expect(await refusal('talk.pptx', 101e6, pptx)).toMatch(/a file of type pptx may have 100/);
});

it('an old Office file is refused by its beginning, above the limit of all of its kind', async () => {
  const path = join(await temporaryFolder(), 'old.doc');
  await writeFile(path, Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.alloc(100_000)]));
  await expect(refuseLarge(path, 60e6)).rejects.toMatchObject({
    code: 'too_large',
    message: expect.stringContaining('a file of type doc may have 10'),
  });
  await expect(refuseLarge(path, 9e6)).resolves.toBeUndefined();
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
  expect(await sent(Buffer.from('PK\u0003\u0004'))).toEqual({
    pieces: 100,
    refusal: expect.stringMatching(/^notes\.txt is larger than 50\.0 MB, the limit of files of type zip\./),
  });
});
