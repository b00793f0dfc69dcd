import { toComparableText } from '../citations/check-citation.ts';
import { quotedIn } from '../citations/find-verbatim.ts';
import type { TextAnalyser } from '../citations/text-analyser.ts';
import { allOf, type Filter } from '../documents/filter.ts';
import { placesWithin } from '../documents/places.ts';
import type { Retriever } from '../retrieval/retriever.ts';
import { defaultGraphSettings, defaultSearchSettings } from '../retrieval/search-settings.ts';
import { visibleDocument } from '../toolbox/find-document.ts';
import type { Library } from '../toolbox/tool-context.ts';
import { type CandidatePassage, passageOfChunk } from './candidate-passage.ts';

/** Full-text hits for a statement, in these documents or in all. */
export type SearchEvidence = (statement: string, ids?: readonly string[]) => Promise<readonly CandidatePassage[]>;

interface EvidenceSearchParts {
  readonly retriever: Retriever;
  readonly library: Library;
  readonly visible: Filter;
  readonly analyser: TextAnalyser;
  readonly asOf: string | undefined;
  readonly signal: AbortSignal;
}

const MAX_HITS = 8;
const MAX_QUERY_LENGTH = 1_000;
/** Documents searched as a whole for a quotation, because it may cross the border of two chunks. */
const MAX_WHOLE_DOCUMENTS = 3;
const MAX_WHOLE_DOCUMENT_LENGTH = 2_000_000;

/** Searches for passages that may support statements, and runs each search and reads each document only once. */
export function createEvidenceSearch(parts: EvidenceSearchParts): SearchEvidence {
  const { retriever, library, visible, analyser, asOf, signal } = parts;
  const searches = new Map<string, Promise<readonly CandidatePassage[]>>();
  const wholeDocuments = new Map<string, Promise<CandidatePassage | undefined>>();

  async function runSearch(query: string, statement: string, ids?: readonly string[]) {
    if (query === '') return [];
    const within: Filter =
      ids === undefined ? visible : allOf({ kind: 'in', field: 'document_id', values: ids }, visible);
    const { chunks } = await retriever.search(
      query,
      {
        ...defaultSearchSettings,
        kind: 'full_text',
        filter: within,
        limit: MAX_HITS,
        rerank: { enabled: false },
        graph: { ...defaultGraphSettings, enabled: false },
        ...(asOf === undefined ? {} : { asOf }),
      },
      signal,
    );
    const hits = chunks.map((chunk) => passageOfChunk(chunk, analyser));
    const quoted = quotedIn(statement);
    if (quoted.length === 0 || hits.some((hit) => quoted.every((piece) => hit.comparable.find(piece)))) return hits;
    const named = [...new Set([...(ids ?? []), ...chunks.map(({ documentId }) => documentId)])].slice(
      0,
      MAX_WHOLE_DOCUMENTS,
    );
    const whole = await Promise.all(named.map((id) => wholeDocument(id)));
    // The terms of a statement are easily found somewhere in a whole document, so it counts for verbatim quotes only.
    const holding = whole.filter(
      (passage) => passage !== undefined && quoted.every((piece) => passage.comparable.find(piece)),
    );
    return [...hits, ...holding.filter((passage) => passage !== undefined)];
  }

  function wholeDocument(id: string): Promise<CandidatePassage | undefined> {
    const before = wholeDocuments.get(id);
    if (before !== undefined) return before;
    const read = readWhole(id);
    wholeDocuments.set(id, read);
    return read;
  }

  async function readWhole(id: string): Promise<CandidatePassage | undefined> {
    const extracted = await library.textOf(id);
    if (extracted === undefined || extracted.text.length > MAX_WHOLE_DOCUMENT_LENGTH) return undefined;
    const document = await visibleDocument(id, { library, visible });
    if (document === undefined) return undefined;
    const { text, ...outline } = extracted;
    const stretch = { start: 0, end: text.length, page: null, headingPath: [] };
    return {
      quotable: { ...stretch, text, places: placesWithin(stretch, outline) },
      comparable: toComparableText(text, analyser, document.title),
      title: document.title,
      documentId: id,
      source: { kind: 'document', document },
    };
  }

  return (statement, ids) => {
    const query = asQuery(statement);
    const key = JSON.stringify([query, ids ?? null]);
    const before = searches.get(key);
    if (before !== undefined) return before;
    const found = runSearch(query, statement, ids);
    searches.set(key, found);
    return found;
  };
}

/** Removes query syntax: quotation marks require a phrase, a leading minus excludes a word. */
const asQuery = (statement: string): string =>
  statement
    .replace(/["“”„«»「」『』]/g, ' ')
    .replace(/(^|\s)-+(?=\S)/g, '$1')
    .slice(0, MAX_QUERY_LENGTH)
    .trim();
