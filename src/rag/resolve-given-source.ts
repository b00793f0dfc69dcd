import type { GivenSource } from '../citations/answer-check.ts';
import { toComparableText } from '../citations/check-citation.ts';
import type { TextAnalyser } from '../citations/text-analyser.ts';
import type { Document } from '../documents/document.ts';
import type { Filter } from '../documents/filter.ts';
import { ServiceError } from '../errors.ts';
import { resolveChunk } from '../toolbox/find-chunk.ts';
import { findDocument } from '../toolbox/find-document.ts';
import type { Library } from '../toolbox/tool-context.ts';
import { type CandidatePassage, passageOfChunk } from './candidate-passage.ts';

/** A source of a request: a passage, or a document whose passages are searched. */
export type ResolvedSource =
  | { readonly kind: 'passage'; readonly marker: number; readonly passage: CandidatePassage }
  | { readonly kind: 'document'; readonly marker: number; readonly document: Document };

interface ResolutionParts {
  readonly library: Library;
  readonly visible: Filter;
  readonly analyser: TextAnalyser;
}

/** Throws `not_found` for a source that is not visible, `invalid_request` for one without content. */
export async function resolveGivenSource(
  { text, id, chunkId = id, documentId, ...source }: GivenSource,
  index: number,
  { analyser, ...visibleLibrary }: ResolutionParts,
): Promise<ResolvedSource> {
  const marker = source.marker ?? index + 1;
  if (chunkId !== undefined) {
    const found = await resolveChunk(chunkId, visibleLibrary);
    if (found !== undefined) return { kind: 'passage', marker, passage: passageOfChunk(found.chunk, analyser, marker) };
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
