import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { uuidFromName } from '../../src/documents/ids.ts';
import type { SplitOptions } from '../../src/ingest/split-text.ts';
import { startService } from '../evaluate/service.ts';
import type { Range, RangeCollection } from './range-collection.ts';

/**
 * Ingests the documents into a service with default settings, and returns the passages it finds for each question.
 */
export async function askService(
  { documents, queries }: RangeCollection,
  { strategy, chunkSize, chunkOverlap }: SplitOptions,
  limit: number,
): Promise<Range[][]> {
  const dataFolder = await mkdtemp(join(tmpdir(), 'citewell-chunking-'));
  const service = await startService({ dataFolder, isGraphOn: false }, new AbortController().signal);
  try {
    const names = new Map([...documents.keys()].map((name) => [uuidFromName(name), name]));
    const sizes = { chunking_strategy: strategy, chunk_size: chunkSize, chunk_overlap: chunkOverlap };
    for (const [id, name] of names) {
      const body = { id, raw_text: documents.get(name), run_with_orchestration: false };
      await service.call('POST', '/documents', { ...body, ...(chunkSize && { ingestion_config: sizes }) });
    }
    await service.settle();
    const found: Range[][] = [];
    for (const { text } of queries) {
      const answer = await service.call('POST', '/retrieval/search', { query: text, search_settings: { limit } });
      const { chunk_search_results: hits } = answer as {
        readonly chunk_search_results: readonly { readonly document_id: string; readonly text: string }[];
      };
      found.push(
        hits.map((hit) => {
          const document = names.get(hit.document_id) ?? '';
          const start = documents.get(document)?.indexOf(hit.text) ?? -1;
          if (start < 0) throw new Error(`${document} does not hold the passage "${hit.text.slice(0, 80)}".`);
          return { document, start, end: start + hit.text.length };
        }),
      );
    }
    return found;
  } finally {
    await service.close();
    await rm(dataFolder, { recursive: true, force: true, maxRetries: 3 });
  }
}
