import type { Collection } from '../../api/load-collections.ts';
import { call, callList, type Listed } from '../../api/request.ts';
import { type DocumentSort, readSort } from './document-sort.ts';
import type { Remedy } from './remedy.ts';

export interface LibraryDocument {
  readonly id: string;
  readonly title: string;
  readonly file_name: string;
  readonly document_type: string;
  readonly size_in_bytes: number;
  readonly chunk_count: number;
  readonly created_at: string;
  readonly ingestion_status: string;
  readonly failure: string | null;
  readonly failure_remedy: Remedy | null;
  readonly source: string | null;
  readonly collection_ids: readonly string[];
}

/** Numbers of deleted items by kind. */
export interface Receipt {
  readonly documents: number;
  readonly chunks: number;
  readonly vectors: number;
  readonly full_text_entries: number;
  readonly files: number;
  readonly graph_rows: number;
  readonly cached?: number;
  readonly versions?: number;
  readonly past_chunks?: number;
  readonly index?: { readonly removed: number; readonly state: 'confirmed' | 'pending' };
  readonly verified?: boolean | 'pending';
}

/** Ingestion stages grouped for display. */
export const stateNames = ['ready', 'working', 'failed'] as const;
export type StateName = (typeof stateNames)[number];
const stages: Readonly<Record<StateName, readonly string[]>> = {
  ready: ['success', 'enriching'],
  working: ['pending', 'parsing', 'augmenting', 'embedding', 'storing'],
  failed: ['failed'],
};

export const stateOfStage = (stage: string): StateName =>
  stateNames.find((name) => stages[name].includes(stage)) ?? 'working';

/** Filter of the library, stored in the URL. */
export interface LibraryFilter {
  readonly state: StateName | undefined;
  readonly collection: string | undefined;
  readonly title: string;
  readonly sort: DocumentSort;
  readonly offset: number;
}

export const PAGE_SIZE = 50;

export function readLibraryFilter(query: URLSearchParams): LibraryFilter {
  const page = Number(query.get('page') ?? '1');
  return {
    state: stateNames.find((name) => name === query.get('state')),
    collection: query.get('collection') ?? undefined,
    title: query.get('title') ?? '',
    sort: readSort(query.get('sort')),
    offset: Number.isSafeInteger(page) && page > 1 ? (page - 1) * PAGE_SIZE : 0,
  };
}

export const isFiltered = ({ state, collection, title }: LibraryFilter): boolean =>
  state !== undefined || collection !== undefined || title !== '';

/** The largest page that the service returns. */
const MAX_PAGE_SIZE = 1_000;

/** All documents that pass the filter, on whatever page of the list. */
export async function loadAllDocuments(filter: LibraryFilter): Promise<readonly LibraryDocument[]> {
  const found = new Map<string, LibraryDocument>();
  for (let offset = 0; ; offset += MAX_PAGE_SIZE) {
    const { items, total } = await loadDocuments({ ...filter, offset }, undefined, MAX_PAGE_SIZE);
    for (const each of items) found.set(each.id, each);
    if (items.length === 0 || offset + items.length >= total) return [...found.values()];
  }
}

export type DocumentPage = Listed<LibraryDocument>;

export const loadDocuments = (
  { state, collection, title, sort, offset }: LibraryFilter,
  signal?: AbortSignal,
  limit = PAGE_SIZE,
): Promise<DocumentPage> =>
  callList<LibraryDocument>('/v3/documents', {
    query: {
      offset,
      limit,
      sort_by: sort.by,
      sort_order: sort.order,
      ...(state !== undefined && { ingestion_status: stages[state] }),
      ...(collection !== undefined && { collection_ids: collection }),
      ...(title !== '' && { title }),
    },
    ...(signal && { signal }),
  });

export const createCollection = (name: string, description: string): Promise<Collection> =>
  call<Collection>('/v3/collections', {
    method: 'POST',
    body: { name, ...(description !== '' && { description }) },
  });

export const removeCollection = (id: string): Promise<unknown> => call(`/v3/collections/${id}`, { method: 'DELETE' });

export const retryFailed = async (): Promise<number> =>
  (await call<{ readonly retried: number }>('/v3/documents/retry-failed', { method: 'POST' })).retried;

/** Retries the latest task of a document. */
export async function retryDocument(id: string): Promise<void> {
  const { items } = await callList<{ readonly id: string }>('/v3/tasks', {
    query: { document_ids: id, state: ['failed', 'cancelled'], limit: 1 },
  });
  const [task] = items;
  if (task === undefined) await retryFailed();
  else await call(`/v3/tasks/${task.id}/retry`, { method: 'POST' });
}

/** Sums several receipts; verified only if all of them are. */
export function addReceipts(receipts: readonly Receipt[]): Receipt {
  const sum = (count: (receipt: Receipt) => number | undefined): number =>
    receipts.reduce((all, receipt) => all + (count(receipt) ?? 0), 0);
  const verdicts = receipts.flatMap(({ verified }) => verified ?? []);
  const verified = verdicts.includes(false) ? false : verdicts.includes('pending') ? 'pending' : true;
  const isIndexPending = receipts.some(({ index }) => index?.state === 'pending');
  return {
    documents: sum((each) => each.documents),
    chunks: sum((each) => each.chunks),
    vectors: sum((each) => each.vectors),
    full_text_entries: sum((each) => each.full_text_entries),
    files: sum((each) => each.files),
    graph_rows: sum((each) => each.graph_rows),
    cached: sum((each) => each.cached),
    versions: sum((each) => each.versions),
    past_chunks: sum((each) => each.past_chunks),
    index: { removed: sum((each) => each.index?.removed), state: isIndexPending ? 'pending' : 'confirmed' },
    ...(verdicts.length === receipts.length && receipts.length > 0 && { verified }),
  };
}
