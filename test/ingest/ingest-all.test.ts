import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type IngestAllOptions, type IngestStep, ingestAll } from '../../src/ingest/ingest-all.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const hashOf = (text: string) => createHash('sha256').update(text).digest('hex');

/** A folder with files of these texts, and a client that knows documents with other or the same texts. */
async function filesAndDocuments(files: Readonly<Record<string, string>>, documents: Readonly<Record<string, string>>) {
  const folder = await temporaryFolder();
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  const sent: string[] = [];
  const requests: (readonly string[])[] = [];
  const stop = new AbortController();
  const options: IngestAllOptions = {
    metadata: {},
    collections: [],
    dataFolder: join(folder, '.citewell'),
    stop: stop.signal,
    abandon: new AbortController().signal,
    client: {
      async ingest({ fileName }) {
        sent.push(fileName);
        return { outcome: 'replaced', documentId: `id of ${fileName}` };
      },
    },
    async unchangedContents(sources) {
      const names = sources.map((source) => source.slice(source.lastIndexOf('/') + 1));
      requests.push(names);
      return names.map((name) => {
        const text = documents[name];
        if (text === undefined) return undefined;
        return { documentId: `id of ${name}`, contentHash: hashOf(text), sizeInBytes: Buffer.byteLength(text) };
      });
    },
  };
  return { folder, options, sent, requests, stop };
}

const outcomesOf = (steps: readonly IngestStep[]) =>
  Object.fromEntries(steps.flatMap((step) => (step.type === 'result' ? [[step.documentId, step.outcome]] : [])));

it('sends only files whose size or content differs from that of their documents', async () => {
  const files = { 'same.txt': 'Paris', 'longer.txt': 'Paris, France', 'other.txt': 'Perth', 'new.txt': 'Lyon' };
  const documents = { 'same.txt': 'Paris', 'longer.txt': 'Paris', 'other.txt': 'Paris' };
  const { folder, options, sent, requests } = await filesAndDocuments(files, documents);
  const steps = await Array.fromAsync(ingestAll([folder], options));
  expect(sent.sort()).toEqual(['longer.txt', 'new.txt', 'other.txt']);
  expect(outcomesOf(steps)).toMatchObject({ 'id of same.txt': 'unchanged', 'id of other.txt': 'replaced' });
  expect(steps.filter(({ type }) => type === 'started')).toHaveLength(4);
  expect(requests).toHaveLength(1);

  // What the limit of the operator or an enrichment asks for is decided when the file is submitted.
  for (const change of [{ maxBytes: 3 }, { isEnriched: true }]) {
    const again = await Array.fromAsync(ingestAll([join(folder, 'same.txt')], { ...options, ...change }));
    expect(Object.values(outcomesOf(again))).not.toContain('unchanged');
  }
});

it('asks for many files at once, and not after it has been stopped', async () => {
  const names = Array.from({ length: 230 }, (_, index) => `${index}.txt`);
  const files = Object.fromEntries(names.map((name) => [name, name]));
  const { folder, options, sent, requests, stop } = await filesAndDocuments(files, files);
  expect(Object.keys(outcomesOf(await Array.fromAsync(ingestAll([folder], options))))).toHaveLength(230);
  expect(sent).toEqual([]);
  expect(requests.map(({ length }) => length)).toEqual([100, 100, 30]);
  for await (const step of ingestAll([folder], options)) if (step.type === 'result') stop.abort();
  expect(requests).toHaveLength(4);
});

it('sends what it has found before an argument that cannot be read', async () => {
  const { folder, options, sent } = await filesAndDocuments({ 'new.txt': 'Lyon' }, {});
  const steps = ingestAll([join(folder, 'new.txt'), join(folder, 'missing.txt')], options);
  await expect(Array.fromAsync(steps)).rejects.toThrow('missing.txt');
  expect(sent).toEqual(['new.txt']);
});
