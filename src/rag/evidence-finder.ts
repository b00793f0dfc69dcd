import type { AnswerCheckRequest, Evidence, GivenSource } from '../citations/answer-check.ts';
import { type ComparableText, toComparableText } from '../citations/check-citation.ts';
import type { Source } from '../citations/citation.ts';
import { findQuote, type Quotable, quoteOf } from '../citations/find-quote.ts';
import { quotedIn } from '../citations/find-verbatim.ts';
import type { TextAnalyser } from '../citations/text-analyser.ts';
import type { Chunk } from '../documents/chunk.ts';
import type { Document } from '../documents/document.ts';
import { allOf, type Filter } from '../documents/filter.ts';
import { placesWithin } from '../documents/places.ts';
import { ServiceError } from '../errors.ts';
import type { Retriever } from '../retrieval/retriever.ts';
import { defaultGraphSettings, defaultSearchSettings } from '../retrieval/search-settings.ts';
import { libraryAsOf } from '../toolbox/as-of.ts';
import { resolveChunk } from '../toolbox/find-chunk.ts';
import { findDocument, visibleDocument } from '../toolbox/find-document.ts';
import { titleOf } from '../toolbox/render-blocks.ts';
import type { Library } from '../toolbox/tool-context.ts';

/** A passage that may support a statement. */
export interface CandidatePassage {
  readonly quotable: Quotable;
  readonly comparable: ComparableText;
  readonly title: string;
  readonly documentId?: string;
  readonly chunkId?: string;
  readonly marker?: number;
  readonly source?: Source;
}

/** Finds passages that may support statements. Caches reads and searches for the duration of one check. */
export interface EvidenceFinder {
  /** Whether the request has sources with markers. */
  readonly hasSources: boolean;
  /** Whether the request restricts evidence to given sources or documents. */
  readonly isRestricted: boolean;
  /** Passages of the source with this marker; undefined when the request has no such source. */
  passagesForMarker(marker: number, statement: string): Promise<readonly CandidatePassage[] | undefined>;
  /** Passages of all sources and documents of the request. */
  passagesOfGivenSources(statement: string): Promise<readonly CandidatePassage[]>;
  /** Passages of everything visible to the caller; empty when the request does not search elsewhere. */
  passagesElsewhere(statement: string): Promise<readonly CandidatePassage[]>;
  toEvidence(passage: CandidatePassage, statement: string): Promise<Evidence>;
}

export interface EvidenceFinderParts {
  readonly retriever: Retriever;
  readonly library: Library;
  readonly analyser: TextAnalyser;
}

interface EvidenceScope {
  readonly visible: Filter;
  readonly signal: AbortSignal;
}

type ResolvedSource =
  | { readonly kind: 'passage'; readonly marker: number; readonly passage: CandidatePassage }
  | { readonly kind: 'document'; readonly marker: number; readonly document: Document };

const MAX_HITS = 8;
const MAX_QUERY_LENGTH = 1_000;
/** Documents searched as a whole for a quotation, because it may cross the border of two chunks. */
const MAX_WHOLE_DOCUMENTS = 3;
const MAX_WHOLE_DOCUMENT_LENGTH = 2_000_000;

export async function createEvidenceFinder(
  { retriever, analyser, ...parts }: EvidenceFinderParts,
  request: AnswerCheckRequest,
  { visible, signal }: EvidenceScope,
): Promise<EvidenceFinder> {
  const library = libraryAsOf(parts.library, request.asOf);
  const visibleLibrary = { library, visible };
  const passageOf = (chunk: Chunk, marker?: number): CandidatePassage => ({
    quotable: chunk,
    comparable: toComparableText(chunk.text, analyser),
    title: titleOf(chunk),
    documentId: chunk.documentId,
    chunkId: chunk.id,
    source: { kind: 'chunk', chunk: { score: 0, ...chunk } },
    ...(marker === undefined ? {} : { marker }),
  });

  async function resolve(source: GivenSource, index: number): Promise<ResolvedSource> {
    const marker = source.marker ?? index + 1;
    const { text, id, chunkId = id, documentId } = source;
    if (chunkId !== undefined) {
      const found = await resolveChunk(chunkId, visibleLibrary);
      if (found !== undefined) return { kind: 'passage', marker, passage: passageOf(found.chunk, marker) };
      if (id !== undefined) return { kind: 'document', marker, document: await findDocument(id, visibleLibrary) };
      throw new ServiceError('not_found', `There is no chunk ${chunkId} for [${marker}].`);
    }
    if (documentId !== undefined)
      return { kind: 'document', marker, document: await findDocument(documentId, visibleLibrary) };
    if (text === undefined || text.trim() === '') {
      throw new ServiceError(
        'invalid_request',
        `The source for [${marker}] is empty: give its chunk_id, its document_id or its text.`,
      );
    }
    const quotable = { text, start: 0, page: null, headingPath: [] };
    return {
      kind: 'passage',
      marker,
      passage: { quotable, comparable: toComparableText(text, analyser), title: '', marker },
    };
  }

  const resolved: ResolvedSource[] = [];
  for (const [index, source] of request.sources.entries()) resolved.push(await resolve(source, index));
  const documents: Document[] = [];
  for (const id of request.documentIds) documents.push(await findDocument(id, visibleLibrary));
  const known = new Map<string, Promise<readonly CandidatePassage[]>>();
  const wholeDocuments = new Map<string, Promise<CandidatePassage | undefined>>();
  const hasSources = resolved.length > 0;

  /** Full-text hits for a statement, in these documents or in all. */
  function search(statement: string, ids?: readonly string[]): Promise<readonly CandidatePassage[]> {
    const query = asQuery(statement);
    const key = JSON.stringify([query, ids ?? null]);
    const before = known.get(key);
    if (before !== undefined) return before;
    const found = runSearch(query, statement, ids);
    known.set(key, found);
    return found;
  }

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
        ...(request.asOf === undefined ? {} : { asOf: request.asOf }),
      },
      signal,
    );
    const hits = chunks.map((chunk) => passageOf(chunk));
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
    const document = await visibleDocument(id, visibleLibrary);
    if (document === undefined) return undefined;
    const { text, ...outline } = extracted;
    const stretch = { start: 0, end: text.length, page: null, headingPath: [] };
    return {
      quotable: { ...stretch, text, places: placesWithin(stretch, outline) },
      comparable: toComparableText(text, analyser),
      title: document.title,
      documentId: id,
      source: { kind: 'document', document },
    };
  }

  const passagesOf = async (each: ResolvedSource, statement: string): Promise<readonly CandidatePassage[]> =>
    each.kind === 'passage'
      ? [each.passage]
      : (await search(statement, [each.document.id])).map((passage) => ({ ...passage, marker: each.marker }));

  async function evidence(passage: CandidatePassage, statement: string): Promise<Evidence> {
    const quote = quoteFor(passage, statement);
    const { documentId, chunkId, marker, title, source } = passage;
    const markerField = marker === undefined ? {} : { marker };
    if (documentId !== undefined) {
      const named = { documentId, ...(chunkId === undefined ? {} : { chunkId }), ...(source && { source }) };
      return { quote, ...markerField, ...named, title };
    }
    // For a source given as bare text, look up the document that contains it.
    for (const hit of await search(quote.text)) {
      const span = hit.comparable.find(quote.text);
      if (span === undefined || hit.documentId === undefined) continue;
      const found = { ...hit, ...markerField };
      return { ...(await evidence(found, quote.text)), quote: quoteOf(hit.quotable, span) };
    }
    return { quote, ...markerField, title };
  }

  return {
    hasSources,
    isRestricted: hasSources || documents.length > 0,

    async passagesForMarker(marker, statement) {
      const own = resolved.filter((each) => each.marker === marker);
      if (own.length === 0) return undefined;
      return (await Promise.all(own.map((each) => passagesOf(each, statement)))).flat();
    },

    async passagesOfGivenSources(statement) {
      if (!hasSources && documents.length === 0) return search(statement);
      const passages = (await Promise.all(resolved.map((each) => passagesOf(each, statement)))).flat();
      if (documents.length === 0) return passages;
      return [
        ...passages,
        ...(await search(
          statement,
          documents.map(({ id }) => id),
        )),
      ];
    },

    passagesElsewhere: async (statement) => (request.searchesElsewhere ? search(statement) : []),

    toEvidence: evidence,
  };

  /** Span of a verbatim match, or else of the one or two most similar sentences. */
  function quoteFor({ quotable, comparable: text }: CandidatePassage, statement: string) {
    const exact = text.find(statement.replace(/[.!?。！？]+$/, ''));
    if (exact !== undefined) return quoteOf(quotable, exact);
    for (const piece of quotedIn(statement)) {
      const span = text.find(piece);
      if (span !== undefined) return quoteOf(quotable, span);
    }
    return findQuote({ chunk: quotable, statement, question: '', analyser });
  }
}

/** Removes query syntax: quotation marks require a phrase, a leading minus excludes a word. */
const asQuery = (statement: string): string =>
  statement
    .replace(/["“”„«»「」『』]/g, ' ')
    .replace(/(^|\s)-+(?=\S)/g, '$1')
    .slice(0, MAX_QUERY_LENGTH)
    .trim();
