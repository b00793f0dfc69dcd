import type { ScoredChunk } from '../documents/chunk.ts';
import type { DroppedHit } from './retriever.ts';

/** Only trimmed white space lies between two adjacent chunks; a larger gap may contain text. */
const MAX_GAP = 3;

/**
 * Merges chunks that follow one another in their document, at the rank and with the identifier of the best of them. The
 * merged text corresponds to the document from `start` to `end`, except for the kind of white space at the joints, so
 * that offsets within it are offsets in the document. Ready-made and edited chunks are not merged.
 */
export function mergeNeighbours(chunks: readonly ScoredChunk[], drop: (drop: DroppedHit) => void): ScoredChunk[] {
  const groups = new Map<string, ScoredChunk[]>();
  for (const chunk of chunks) {
    const name = `${chunk.documentId} ${chunk.version ?? ''}`;
    groups.set(name, [...(groups.get(name) ?? []), chunk]);
  }
  const merged = new Map<string, ScoredChunk>();
  for (const group of groups.values()) {
    for (const run of runsOf(group)) {
      const best = run.reduce((one, two) => (chunks.indexOf(two) < chunks.indexOf(one) ? two : one));
      if (run.length > 1) for (const { id } of run) if (id !== best.id) drop({ id, reason: 'merged', of: best.id });
      merged.set(best.id, run.length === 1 ? best : join(run, best));
    }
  }
  return chunks.flatMap(({ id }) => merged.get(id) ?? []);
}

function runsOf(group: readonly ScoredChunk[]): ScoredChunk[][] {
  const runs: ScoredChunk[][] = [];
  for (const chunk of [...group].sort((one, two) => one.order - two.order)) {
    const run = runs.at(-1);
    const last = run?.at(-1);
    if (run !== undefined && last !== undefined && follows(last, chunk)) run.push(chunk);
    else runs.push([chunk]);
  }
  return runs;
}

const isExact = ({ text, start, end }: ScoredChunk): boolean => text.length === end - start;

function follows(one: ScoredChunk, two: ScoredChunk): boolean {
  if (!isExact(one) || !isExact(two) || two.order !== one.order + 1) return false;
  if (two.start <= one.start || two.end <= one.end || two.start > one.end + MAX_GAP) return false;
  const shared = one.end - two.start;
  // Prevents merging chunks of two texts when a document is ingested again during the search.
  return shared <= 0 || one.text.slice(-shared) === two.text.slice(0, shared);
}

function join(run: readonly ScoredChunk[], best: ScoredChunk): ScoredChunk {
  const [first = best] = run;
  let { text, end } = first;
  for (const next of run.slice(1)) {
    text += next.start >= end ? `${'\n'.repeat(next.start - end)}${next.text}` : next.text.slice(end - next.start);
    end = next.end;
  }
  const { order, start, page } = first;
  const { places: _, ...rest } = best;
  return { ...rest, text, order, start, end, page, merged: run.map(({ id }) => id) };
}
