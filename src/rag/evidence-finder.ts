import type { AnswerCheckRequest, Evidence } from '../citations/answer-check.ts';
import { quoteOf } from '../citations/find-quote.ts';
import type { TextAnalyser } from '../citations/text-analyser.ts';
import type { Document } from '../documents/document.ts';
import type { Filter } from '../documents/filter.ts';
import type { Retriever } from '../retrieval/retriever.ts';
import { libraryAsOf } from '../toolbox/as-of.ts';
import { findDocument } from '../toolbox/find-document.ts';
import type { Library } from '../toolbox/tool-context.ts';
import { type CandidatePassage, quoteFrom } from './candidate-passage.ts';
import { type ResolvedSource, resolveGivenSource } from './resolve-given-source.ts';
import { createEvidenceSearch } from './search-evidence.ts';

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

export async function createEvidenceFinder(
  { retriever, analyser, ...parts }: EvidenceFinderParts,
  request: AnswerCheckRequest,
  { visible, signal }: EvidenceScope,
): Promise<EvidenceFinder> {
  const library = libraryAsOf(parts.library, request.asOf);
  const resolved: ResolvedSource[] = [];
  for (const [index, source] of request.sources.entries()) {
    resolved.push(await resolveGivenSource(source, index, { library, visible, analyser }));
  }
  const documents: Document[] = [];
  for (const id of request.documentIds) documents.push(await findDocument(id, { library, visible }));
  const hasSources = resolved.length > 0;
  const search = createEvidenceSearch({ retriever, library, visible, analyser, asOf: request.asOf, signal });

  const passagesOf = async (each: ResolvedSource, statement: string): Promise<readonly CandidatePassage[]> =>
    each.kind === 'passage'
      ? [each.passage]
      : (await search(statement, [each.document.id])).map((passage) => ({ ...passage, marker: each.marker }));

  async function toEvidence(passage: CandidatePassage, statement: string): Promise<Evidence> {
    const quote = quoteFrom(passage, statement, analyser);
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
      return { ...(await toEvidence(found, quote.text)), quote: quoteOf(hit.quotable, span) };
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

    toEvidence,
  };
}
