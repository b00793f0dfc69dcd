import { setTimeout as sleep } from 'node:timers/promises';
import { changedText, textOf } from './items.ts';

/** Sends a request to the service, below `/v3`. */
type Call = <T>(method: string, path: string, body?: object) => Promise<T>;

const PER_PAGE = 1000;
const EXAMPLES = 5;
const POLL_MS = 500;
const FINISHED = ['success', 'failed'];

/**
 * What is wrong with the documents of `items` items, of which the first `changed` were changed and the next `removed`
 * were removed: every remaining item must have exactly one document, and a search must find some of them.
 */
export async function checkDocuments(
  call: Call,
  { items, changed, removed }: { readonly items: number; readonly changed: number; readonly removed: number },
): Promise<readonly string[]> {
  const problems: string[] = [];
  const found = new Map<number, number>();
  let documents = await allDocuments(call);
  // A file that has just been changed is ingested after the listing that follows the change.
  while (documents.some(({ ingestion_status: status }) => !FINISHED.includes(status))) {
    await sleep(POLL_MS);
    documents = await allDocuments(call);
  }
  for (const { title, ingestion_status: status } of documents) {
    const number = Number(/item[ -](\d+)/i.exec(title ?? '')?.[1]);
    found.set(number, (found.get(number) ?? 0) + 1);
    if (status !== 'success') problems.push(`"${title}" has the status ${status}`);
  }
  const isGone = (number: number) => number >= changed && number < changed + removed;
  for (let number = 0; number < items; number++) {
    const [documents, expected] = [found.get(number) ?? 0, isGone(number) ? 0 : 1];
    if (documents !== expected) problems.push(`item ${number} has ${documents} documents instead of ${expected}`);
    found.delete(number);
  }
  if (found.size > 0) problems.push(`${found.size} documents belong to no item`);

  const searched = [0, changed + removed, Math.floor(items / 3), Math.floor(items / 2), items - 1];
  for (const number of searched.filter((each) => !isGone(each))) {
    const text = (number < changed ? changedText(number) : textOf(number)).split('\n')[2] ?? '';
    const { results } = await call<{ results: Hits }>('POST', '/retrieval/search', { query: text });
    // Not always first: the texts are alike, and the learned embedder knows only numbers of its training.
    if (!results.chunk_search_results.some((hit) => hit.text.includes(text)))
      problems.push(`a search does not find item ${number}`);
  }
  const more = problems.length - EXAMPLES;
  return more > 0 ? [...problems.slice(0, EXAMPLES), `… and ${more} more problems`] : problems;
}

async function allDocuments(call: Call): Promise<readonly Document[]> {
  const documents: Document[] = [];
  for (;;) {
    const path = `/documents?limit=${PER_PAGE}&offset=${documents.length}`;
    const { results } = await call<{ results: Document[] }>('GET', path);
    documents.push(...results);
    if (results.length < PER_PAGE) return documents;
  }
}

interface Document {
  readonly title: string | null;
  readonly ingestion_status: string;
}

interface Hits {
  readonly chunk_search_results: readonly { readonly text: string }[];
}
