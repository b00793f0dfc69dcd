import type { IngestionStatus } from '../../../documents/document.ts';
import { everything, type Filter } from '../../../documents/filter.ts';
import type { Corpus, CorpusStats } from '../../corpus.ts';
import type { Database } from '../database.ts';
import { filterToSql } from '../filters/to-sql.ts';
import { countPending } from '../index-sync/outbox.ts';
import { shareVerification } from '../index-sync/share-verification.ts';
import { verifyRemoval } from '../index-sync/verify-removal.ts';
import { createOriginalReads } from '../originals/original-reads.ts';
import type { OriginalRecords } from '../originals/original-records.ts';
import { createChunkSearch } from '../search/chunk-search.ts';
import type { EmbeddingText } from '../vector-spaces/fill-space.ts';
import { currentSpace } from '../vector-spaces/space-rows.ts';
import { createPastReads } from '../versions/past-reads.ts';
import { createChunkReads } from './chunk-reads.ts';
import { createDocumentReads } from './document-reads.ts';
import { editChunk, removeChunk } from './edit-chunks.ts';
import { createIngestions } from './ingestions.ts';
import { type PublishParts, publishDocument } from './publish-document.ts';
import { readFacets } from './read-facets.ts';
import { removeDocuments } from './remove-documents.ts';
import { setMetadata } from './set-metadata.ts';

export interface CorpusParts extends PublishParts {
  /** Builds the text that is embedded for a chunk. */
  readonly embeddingText: EmbeddingText;
  readonly originals: OriginalRecords;
}

/** The corpus over the record store and a vector index. */
export function createCorpus(parts: CorpusParts): Corpus {
  const { sqlite, upkeep, embeddingText, originals } = parts;
  const { collections, state } = upkeep;
  const search = createChunkSearch({ search: sqlite.search, collections, state, onFailure: upkeep.reportFailure });
  const verify = shareVerification((removed, patienceMs) =>
    verifyRemoval({ sqlite, upkeep, search }, removed, patienceMs),
  );
  return {
    ...createIngestions({ sqlite, embeddingText, originals, onPending: upkeep.wakeUp }),
    ...createDocumentReads(sqlite),
    ...createChunkReads(sqlite),
    ...createOriginalReads(sqlite, originals),

    at: (asOf) => createPastReads(sqlite, originals, asOf),

    async publish(id, publication) {
      const document = await publishDocument(parts, id, publication);
      originals.tidy();
      return document;
    },

    editChunk: (id, change) => editChunk(sqlite, upkeep, id, change),
    async removeChunk(id) {
      const receipt = await removeChunk(sqlite, upkeep, id);
      originals.tidy();
      return receipt;
    },

    setMetadata: (id, metadata, mode) =>
      sqlite.writer.transaction().execute((transaction) => setMetadata(transaction, { id, metadata, mode })),

    async remove(filter) {
      const { receipt, removed } = await removeDocuments(sqlite, filter);
      originals.tidy();
      return { ...receipt, ...(await verify(removed)) };
    },

    stats: (filter = everything) => readStats(sqlite, filter),
    facets: (filter) => readFacets(sqlite, filter),
  };
}

const NO_DOCUMENTS: Readonly<Record<IngestionStatus, number>> = {
  pending: 0,
  parsing: 0,
  augmenting: 0,
  embedding: 0,
  storing: 0,
  success: 0,
  enriching: 0,
  failed: 0,
};

function readStats({ reader, search }: Database, filter: Filter): Promise<CorpusStats> {
  const matches = filterToSql(filter, 'document', search.dialect.filters);
  return reader.transaction().execute(async (transaction) => {
    const byStatus = await transaction
      .selectFrom('documents as d')
      .where(matches)
      .select(({ fn }) => [
        'ingestion_status as status',
        fn.countAll<number>().as('count'),
        fn.sum<number>('chunk_count').as('chunks'),
      ])
      .groupBy('ingestion_status')
      .execute();
    const { collections } = await transaction
      .selectFrom('collections')
      .select(({ fn }) => fn.countAll<number>().as('collections'))
      .executeTakeFirstOrThrow();
    const space = await currentSpace(transaction);
    return {
      documents: { ...NO_DOCUMENTS, ...Object.fromEntries(byStatus.map(({ status, count }) => [status, count])) },
      chunks: byStatus.reduce((sum, { chunks }) => sum + Number(chunks), 0),
      collections,
      pendingIndexWrites: space === undefined ? 0 : await countPending(transaction, space.key),
      space:
        space === undefined
          ? null
          : {
              embedder: space.embedder,
              version: space.version,
              dimensions: space.dimensions,
              collection: space.collection,
            },
    };
  });
}
