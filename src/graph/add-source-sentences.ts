import { findVerbatim } from '../citations/find-verbatim.ts';
import type { Chunk } from '../documents/chunk.ts';
import type { GraphHit, GraphSentence } from '../documents/graph-hit.ts';
import { placeAt } from '../documents/places.ts';
import { splitSentences } from '../documents/sentences.ts';

/**
 * Adds to each hit its source sentence: the one that its text quotes, otherwise the first one that names it. None is
 * added if the hit's chunks have been deleted in the meantime.
 */
export async function addSourceSentences(
  hits: readonly GraphHit[],
  chunksById: (ids: readonly string[]) => Promise<readonly Chunk[]>,
): Promise<GraphHit[]> {
  const ids = [...new Set(hits.flatMap(({ chunkIds }) => chunkIds))];
  const chunks = new Map((ids.length === 0 ? [] : await chunksById(ids)).map((chunk) => [chunk.id, chunk]));
  return hits.map((hit) => {
    const own = hit.chunkIds.flatMap((id) => chunks.get(id) ?? []);
    const sentence = findQuotedSentence(hit, own) ?? findNamingSentence(hit, own);
    return sentence === undefined ? hit : { ...hit, sentence };
  });
}

function findQuotedSentence({ found }: GraphHit, chunks: readonly Chunk[]): GraphSentence | undefined {
  const texts = found.kind === 'community' ? sentencesOf(found.summary) : [found.description];
  for (const text of texts) {
    // A long sentence is stored truncated.
    const wanted = text.replace(/…$/, '');
    for (const chunk of chunks) {
      const span = findVerbatim(chunk.text, wanted);
      if (span !== undefined) return sentenceAt(chunk, span);
    }
  }
  return undefined;
}

function findNamingSentence({ found }: GraphHit, chunks: readonly Chunk[]): GraphSentence | undefined {
  const names = found.kind === 'relationship' ? [found.subject, found.object] : [found.name];
  for (const chunk of chunks) {
    const sentence = splitSentences(chunk.text).find(({ start, end }) => {
      const text = chunk.text.slice(start, end);
      return names.every((name) => findVerbatim(text, name) !== undefined);
    });
    if (sentence !== undefined) return sentenceAt(chunk, sentence);
  }
  const [first] = chunks;
  return first && sentenceAt(first, splitSentences(first.text)[0] ?? { start: 0, end: first.text.length });
}

function sentenceAt(chunk: Chunk, { start, end }: { readonly start: number; readonly end: number }): GraphSentence {
  return {
    documentId: chunk.documentId,
    chunkId: chunk.id,
    text: chunk.text.slice(start, end),
    start: chunk.start + start,
    ...placeAt(chunk, chunk.start + start),
  };
}

const sentencesOf = (text: string): string[] => splitSentences(text).map(({ start, end }) => text.slice(start, end));
