import { z } from 'zod';
import { ingestionStatuses } from '../../documents/document.ts';
import {
  type DocumentOrder,
  type DocumentSort,
  documentSorts,
  usualDirection,
} from '../../documents/document-order.ts';
import { allOf, everything, type Filter } from '../../documents/filter.ts';
import { timestamp } from '../../documents/timestamp.ts';
import { taskStates } from '../../store/ingestion-queue.ts';
import { integer, lastOf, paging } from './page-query.ts';

// Query parameters. The same schemas validate requests and generate the OpenAPI document.

const asList = (value: unknown): unknown => (value === undefined || Array.isArray(value) ? value : [value]);

/** A key that may be repeated, `ids=a&ids=b`; an absent key is an empty list. */
const listOf = <Schema extends z.ZodType>(schema: Schema) => z.preprocess(asList, z.array(schema).default([]));

/** A list of UUIDs, converted to lower case. */
export const idList = () => listOf(z.guid('This must be a UUID.').toLowerCase());

const WORDS: ReadonlyMap<unknown, boolean> = new Map([
  ['true', true],
  ['1', true],
  ['yes', true],
  ['on', true],
  ['', false],
  ['false', false],
  ['0', false],
  ['no', false],
  ['off', false],
]);

/** A boolean key; absent means false. */
const flag = () =>
  z.preprocess((value) => {
    const last = lastOf(value);
    return WORDS.get(typeof last === 'string' ? last.toLowerCase() : last) ?? last;
  }, z.boolean('This must be true or false.').default(false));

const count = () => integer(z.number().int().min(0).optional());

const includeVectors = flag().describe('Include the vector of each passage.');
const includeEmbeddings = flag().describe('Include the vector of each description, from the embedder in use.');
const includeSummaryEmbeddings = flag().describe(
  'Include the vector of each title and summary, from the embedder in use.',
);
const ownerOnly = flag().describe('Only your own.');
const ids = idList().describe('Only entries with these ids.');
const asOf = z.preprocess(lastOf, timestamp.optional()).describe('State at this time: ISO-8601, or a date.');

export const asOfQuery = z.object({ as_of: asOf });

export const idsQuery = z.object({ ids, ...paging });
export const ownedQuery = z.object({ ids, owner_only: ownerOnly, ...paging });

const sorting = {
  sort_by: z
    .preprocess(lastOf, z.enum(documentSorts).default('created_at'))
    .describe(
      'What the documents are sorted by; of a status, those that failed come first, those that are ready last.',
    ),
  sort_order: z
    .preprocess(lastOf, z.enum(['asc', 'desc']).optional())
    .describe('Default: desc for dates and sizes, otherwise asc.'),
};

/** Documents that are equal are listed in the order in which they were added. */
export const toDocumentOrder = (query: {
  readonly sort_by: DocumentSort;
  readonly sort_order?: DocumentOrder['direction'] | undefined;
}): DocumentOrder => ({ by: query.sort_by, direction: query.sort_order ?? usualDirection(query.sort_by) });

export const documentsQuery = z.object({
  ids,
  owner_only: ownerOnly,
  include_summary_embeddings: includeSummaryEmbeddings,
  ingestion_status: listOf(z.enum(ingestionStatuses)).describe('Only with one of these statuses.'),
  collection_ids: idList().describe('Only in one of these collections.'),
  title: z.preprocess(lastOf, z.string().default('')).describe('Only titles that contain this text, ignoring case.'),
  ...sorting,
  ...paging,
});

export const documentPageQuery = z.object({ ...sorting, ...paging });

export const vectorsQuery = z.object({ include_vectors: includeVectors });
export const chunksQuery = z.object({ include_vectors: includeVectors, ...paging });
export const documentChunksQuery = z.object({ as_of: asOf, include_vectors: includeVectors, ...paging });

/** `metadata_filter` is JSON; r2r-js sends the alias with "[object Object]", which the contract treats as no filter. */
export const allChunksQuery = z.object({
  metadata_filter: z.unknown().optional().meta({ type: 'string', description: 'A filter expression as JSON.' }),
  metadata_filters: z.unknown().optional().meta({ type: 'string', description: 'Alias.', deprecated: true }),
  include_vectors: includeVectors,
  ...paging,
});

const range = {
  start: count().describe('Start offset of the range, in UTF-16 code units.'),
  end: count().describe('End offset, exclusive.'),
};
export const rangeQuery = z.object(range);
export const textQuery = z.object({ as_of: asOf, ...range });

export const embeddingsQuery = z.object({ include_embeddings: includeEmbeddings });
export const graphRowsQuery = z.object({ include_embeddings: includeEmbeddings, ...paging });

const texts = () =>
  z.preprocess((value) => {
    const list = asList(value);
    return Array.isArray(list) ? list.filter((each) => typeof each === 'string' && each !== '') : list;
  }, z.array(z.string()).default([]));

/** Query for the relationships of a document; r2r-js sends the camelCase aliases. */
export const relationshipsQuery = z.object({
  entity_names: texts().describe('Only with one of these as subject or object.'),
  relationship_types: texts().describe('Only with one of these as predicate.'),
  entityNames: texts().meta({ deprecated: true }),
  relationshipTypes: texts().meta({ deprecated: true }),
  include_embeddings: includeEmbeddings,
  ...paging,
});

export const graphsQuery = z.object({
  collection_ids: idList().describe('Only the graphs of these collections.'),
  collectionIds: idList().meta({ deprecated: true }),
  ...paging,
});

export const pullQuery = z.object({ force: flag().describe('Also copy documents that are in the graph already.') });

export const viewQuery = z.object({ edges: count().describe('Maximum number of edges; default 500.'), ...paging });

export const tasksQuery = z.object({
  state: listOf(z.enum(taskStates)).describe('Only in one of these states.'),
  document_ids: idList().describe('Only of these documents.'),
  ...paging,
});

export const retryQuery = z.object({
  all_owners: flag().describe('For superusers: failed tasks of all users.'),
});

/** Event id after which a stream is resumed; the header `Last-Event-ID` has the same meaning. */
export const afterQuery = z.object({
  after: z
    .preprocess((value) => (typeof value === 'string' ? value : undefined), z.string().optional())
    .describe('The id of the last received event.'),
});

/** Filter of a document list by ids, ingestion status, collections, and text contained in the title. */
export function toListFilter(query: z.output<typeof documentsQuery>): Filter {
  const { ids, ingestion_status: stages, collection_ids: collections, title } = query;
  return allOf(
    ids.length === 0 ? everything : { kind: 'in', field: 'document_id', values: ids },
    stages.length === 0 ? everything : { kind: 'in', field: 'ingestion_status', values: stages },
    collections.length === 0 ? everything : { kind: 'overlap', field: 'collection_ids', values: collections },
    title === '' ? everything : { kind: 'like', field: 'title', pattern: containing(title), caseSensitive: false },
  );
}

/** A LIKE pattern for texts that contain the given text literally. */
const containing = (letters: string): string => `%${letters.replace(/[\\%_]/g, '\\$&')}%`;
