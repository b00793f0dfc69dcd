import { verbatimFinder } from '../citations/find-verbatim.ts';
import { type Chunk, documentTypeOf } from '../documents/chunk.ts';
import type { GraphHit, GraphSentence } from '../documents/graph-hit.ts';
import { placeAt } from '../documents/places.ts';
import { splitSentences } from '../documents/sentences.ts';

/** A chunk whose text is normalized at most once for all hits. */
interface SearchedChunk {
  readonly chunk: Chunk;
  readonly find: ReturnType<typeof verbatimFinder>;
}

/**
 * Adds to each hit its source sentence: the one that its text quotes, otherwise the first one that names it. None is
 * added if the hit's chunks have been deleted in the meantime.
 */
export async function addSourceSentences(
  hits: readonly GraphHit[],
  chunksById: (ids: readonly string[]) => Promise<readonly Chunk[]>,
): Promise<GraphHit[]> {
  const ids = [...new Set(hits.flatMap(({ chunkIds }) => chunkIds))];
  const read = ids.length === 0 ? [] : await chunksById(ids);
  const chunks = new Map(read.map((chunk) => [chunk.id, { chunk, find: verbatimFinder(chunk.text) }]));
  return hits.map((hit) => {
    const own = hit.chunkIds.flatMap((id) => chunks.get(id) ?? []);
    const sentence = findQuotedSentence(hit, own) ?? findNamingSentence(hit, own);
    return sentence === undefined ? hit : { ...hit, sentence };
  });
}

function findQuotedSentence({ found }: GraphHit, chunks: readonly SearchedChunk[]): GraphSentence | undefined {
  const texts = found.kind === 'community' ? sentencesOf(found.summary) : [found.description];
  for (const text of texts) {
    // A long sentence is stored truncated.
    const wanted = text.replace(/…$/, '').trim();
    if (wanted === '') continue;
    // Usually quoted to the letter, which is far cheaper to find than a variant of it.
    for (const { chunk } of chunks) {
      const start = chunk.text.indexOf(wanted);
      if (start !== -1) return sentenceAt(chunk, { start, end: start + wanted.length });
    }
    for (const { chunk, find } of chunks) {
      const span = find(wanted);
      if (span !== undefined) return sentenceAt(chunk, span);
    }
  }
  return undefined;
}

function findNamingSentence({ found }: GraphHit, chunks: readonly SearchedChunk[]): GraphSentence | undefined {
  const names = found.kind === 'relationship' ? [found.subject, found.object] : [found.name];
  for (const { chunk, find } of chunks) {
    if (!names.every(find)) continue;
    const sentence = splitSentences(chunk.text).find(({ start, end }) => {
      const findInSentence = verbatimFinder(chunk.text.slice(start, end));
      return names.every(findInSentence);
    });
    if (sentence !== undefined) return sentenceAt(chunk, sentence);
  }
  const [first] = chunks;
  return (
    first && sentenceAt(first.chunk, splitSentences(first.chunk.text)[0] ?? { start: 0, end: first.chunk.text.length })
  );
}

function sentenceAt(chunk: Chunk, { start, end }: { readonly start: number; readonly end: number }): GraphSentence {
  return {
    documentId: chunk.documentId,
    chunkId: chunk.id,
    documentType: documentTypeOf(chunk),
    text: chunk.text.slice(start, end),
    start: chunk.start + start,
    ...placeAt(chunk, chunk.start + start),
  };
}

const sentencesOf = (text: string): string[] => splitSentences(text).map(({ start, end }) => text.slice(start, end));
