import { setImmediate } from 'node:timers/promises';
import { wholeCharacterEnd } from '../shared/text.ts';
import type { PageChunk } from './web-pages.ts';

/** Text analysis: `analyseQuery` drops stop words, `analyse` keeps all terms. */
export interface TermAnalyser {
  analyse(text: string): readonly string[];
  analyseQuery(text: string): readonly string[];
}

export interface ChunkQuery {
  readonly text: string;
  readonly query: string;
  readonly maxCharacters: number;
  readonly analyser: TermAnalyser;
}

interface Piece extends PageChunk {
  /** Number of occurrences of each query term, in the order of the query. */
  readonly counts: readonly number[];
  readonly length: number;
}

const MAX_PIECE_LENGTH = 1_200;
/** Shorter paragraphs are merged with the next one. */
const MIN_PIECE_LENGTH = 250;
const SATURATION = 1.2;
const LENGTH_WEIGHT = 0.6;
/** Minimum score of a chunk, relative to the best one. */
const MIN_RELATIVE_SCORE = 0.3;
/** Milliseconds of analysis after which to yield to the event loop. */
const TURN_MS = 10;

/** Selects the chunks of one text with the highest BM25 scores, in text order. */
export async function selectChunks({ text, query, maxCharacters, analyser }: ChunkQuery): Promise<PageChunk[]> {
  const wanted = [...new Set(analyser.analyseQuery(query))];
  const pieces: Piece[] = [];
  let turnEnds = performance.now() + TURN_MS;
  for (const { start, end, heading } of partsOf(text, maxCharacters)) {
    const own = text.slice(start, end);
    const terms = analyser.analyse(`${heading}\n${own}`);
    const counts = wanted.map((term) => terms.reduce((sum, other) => (other === term ? sum + 1 : sum), 0));
    pieces.push({ start, text: own, counts, length: terms.length });
    if (performance.now() < turnEnds) continue;
    await setImmediate();
    turnEnds = performance.now() + TURN_MS;
  }
  const average = pieces.reduce((sum, { length }) => sum + length, 0) / Math.max(1, pieces.length);
  const spread = wanted.map((_, term) => pieces.filter(({ counts }) => (counts[term] ?? 0) > 0).length);
  const scored = pieces
    .map((piece) => ({ piece, score: scoreOf(piece) }))
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score);
  const best = scored[0]?.score ?? 0;

  const chosen: Piece[] = [];
  let available = maxCharacters;
  for (const { piece, score } of scored) {
    if (score < best * MIN_RELATIVE_SCORE || (piece.text.length > available && chosen.length > 0)) continue;
    chosen.push(piece);
    available -= piece.text.length + 2;
    if (available <= 0) break;
  }
  return chosen
    .toSorted((a, b) => a.start - b.start)
    .map(({ start, text: shown }) => ({ start, text: shown.slice(0, maxCharacters) }));

  function scoreOf({ counts, length }: Piece): number {
    let score = 0;
    for (const [term, count] of counts.entries()) {
      if (count === 0) continue;
      const found = spread[term] ?? 0;
      const rarity = Math.log(1 + (pieces.length - found + 0.5) / (found + 0.5));
      const weight = 1 - LENGTH_WEIGHT + (LENGTH_WEIGHT * length) / Math.max(1, average);
      score += (rarity * count * (SATURATION + 1)) / (count + SATURATION * weight);
    }
    return score;
  }
}

interface TextPart {
  readonly start: number;
  readonly end: number;
  /** The enclosing heading, whose terms count as those of the text below it. */
  readonly heading: string;
}

/** Splits into paragraphs, merging short ones. A paragraph or table that would not fit is cut between lines. */
function* partsOf(text: string, maxCharacters: number): Generator<TextPart, void> {
  let heading = '';
  let open: TextPart | undefined;
  for (const block of text.matchAll(/\S(?:[\s\S]*?\S)?(?=\n[^\S\n]*\n|\s*$)/g)) {
    const [own] = block;
    const end = block.index + own.length;
    const title = /^#{1,6}\s+(.+)$/.exec(own)?.[1];
    if (open !== undefined && (title !== undefined || end - open.start > MAX_PIECE_LENGTH)) {
      yield open;
      open = undefined;
    }
    if (title !== undefined) heading = title;
    if (own.length > maxCharacters) {
      yield* linesOf(text, { start: block.index, end, heading });
      continue;
    }
    open = { start: open?.start ?? block.index, end, heading };
    if (title !== undefined || end - open.start < MIN_PIECE_LENGTH) continue;
    yield open;
    open = undefined;
  }
  if (open !== undefined) yield open;
}

/** Cuts after the last line that fits, or within a line that is too long. */
function* linesOf(text: string, { start, end, heading }: TextPart): Generator<TextPart, void> {
  for (let from = start; from < end; ) {
    const limit = wholeCharacterEnd(text, Math.min(end, from + MAX_PIECE_LENGTH));
    const line = limit === end ? end : text.lastIndexOf('\n', limit - 1) + 1;
    const to = line > from ? line : limit;
    yield { start: from, end: to, heading };
    from = to;
  }
}
