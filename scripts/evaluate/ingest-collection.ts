import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { uuidFromName } from '../../src/documents/ids.ts';
import type { TestCollection, TestDocument } from '../../src/evaluation/test-collection.ts';
import { mapConcurrently } from '../../src/shared/map-concurrently.ts';
import type { Service } from './service.ts';

export interface Ingesting {
  readonly collection: TestCollection;
  readonly service: Service;
  /** Data folder of the service, in which a file keeps the ingestion time across interrupted runs. */
  readonly dataFolder: string;
  readonly hasTitles: boolean;
  /** Ingests each document as one chunk, as benchmarks of engines do, instead of splitting it. */
  readonly isWhole: boolean;
  readonly concurrency: number;
  readonly progress: (done: number) => void;
}

export interface Ingested {
  /** Maps the service's document identifiers to those of the collection. */
  readonly names: ReadonlyMap<string, string>;
  /** Documents without text, which cannot be ingested. */
  readonly empty: number;
  /** Total ingestion time, including interrupted runs; undefined if everything had been ingested before. */
  readonly seconds: number | undefined;
}

/** Uploads a collection's documents; skips those uploaded by an interrupted run. */
export async function ingestCollection(ingesting: Ingesting): Promise<Ingested> {
  const { collection, dataFolder, progress, service } = ingesting;
  const there = await documentsThere(service);
  const names = new Map<string, string>();
  const startedAt = performance.now();
  let empty = 0;
  let sent = 0;
  let done = 0;
  async function* toSend() {
    for await (const document of collection.documents()) {
      const id = uuidFromName(`${collection.name}/${document.id}`);
      const body = toBody(document, ingesting);
      if (body === undefined) empty += 1;
      else names.set(id, document.id);
      if (body === undefined || there.has(id)) progress(++done);
      else yield { id, ...body };
    }
  }
  const send = (body: object) =>
    service.call('POST', '/documents', { ...body, replace: true, run_with_orchestration: false });
  for await (const _ of mapConcurrently(toSend(), ingesting.concurrency, send)) {
    sent += 1;
    progress(++done);
  }
  const before = await readSeconds(dataFolder);
  const seconds = before + (sent === 0 ? 0 : (performance.now() - startedAt) / 1000);
  await keepSeconds(dataFolder, seconds);
  return { names, empty, seconds: sent === 0 ? undefined : seconds };
}

function toBody({ id, title, text }: TestDocument, { hasTitles, isWhole }: Ingesting): object | undefined {
  // A document without text is represented by its title.
  const content = text.trim() === '' && hasTitles ? title : text;
  if (content.trim() === '') return undefined;
  const named = hasTitles && title.trim() !== '' ? { title } : {};
  return { ...(isWhole ? { chunks: [content] } : { raw_text: content }), metadata: { ...named, evaluated_as: id } };
}

async function documentsThere(service: Service): Promise<ReadonlySet<string>> {
  const there = new Set<string>();
  const limit = 1000;
  for (let offset = 0; ; offset += limit) {
    const page = (await service.call('GET', `/documents?offset=${offset}&limit=${limit}`)) as readonly {
      readonly id: string;
      readonly ingestion_status: string;
    }[];
    for (const { id, ingestion_status: status } of page) if (status === 'success') there.add(id);
    if (page.length < limit) return there;
  }
}

const secondsFile = (folder: string) => join(folder, 'evaluation-ingest.json');

async function readSeconds(folder: string): Promise<number> {
  try {
    return Number(JSON.parse(await readFile(secondsFile(folder), 'utf8')).seconds) || 0;
  } catch {
    return 0;
  }
}

async function keepSeconds(folder: string, seconds: number): Promise<void> {
  const file = secondsFile(folder);
  await writeFile(`${file}.part`, JSON.stringify({ seconds }));
  await rename(`${file}.part`, file);
}
