import { callList, type Listed } from './request.ts';

export interface Collection {
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  readonly document_count: number;
}

/** The largest page that the service returns. */
const PAGE_SIZE = 1_000;

const loadPage = (offset: number, signal?: AbortSignal): Promise<Listed<Collection>> =>
  callList<Collection>('/v3/collections', { query: { offset, limit: PAGE_SIZE }, ...(signal && { signal }) });

/** All collections that the user may see, by name. One that is made meanwhile moves the others to later pages. */
export async function loadCollections(signal?: AbortSignal, load = loadPage): Promise<readonly Collection[]> {
  const found = new Map<string, Collection>();
  for (let offset = 0; ; offset += PAGE_SIZE) {
    const { items, total } = await load(offset, signal);
    for (const each of items) found.set(each.id, each);
    if (items.length === 0 || offset + items.length >= total) break;
  }
  const { compare } = new Intl.Collator();
  return [...found.values()].sort((one, other) => compare(one.name, other.name));
}
