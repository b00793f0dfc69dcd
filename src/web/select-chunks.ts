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
  /** The enclosing headings. */
  readonly heading: string;
  readonly terms: readonly string[];
}

const MAX_PIECE_LENGTH = 1_200;
/** Shorter paragraphs are merged with the next one. */
const MIN_PIECE_LENGTH = 250;
const SATURATION = 1.2;
const LENGTH_WEIGHT = 0.6;
/** Minimum score of a chunk, relative to the best one. */
const MIN_RELATIVE_SCORE = 0.3;

/** Selects the chunks of one text with the highest BM25 scores, in text order. */
export function selectChunks({ text, query, maxCharacters, analyser }: ChunkQuery): PageChunk[] {
  const wanted = [...new Set(analyser.analyseQuery(query))];
  const pieces = piecesOf(text, analyser);
  const average = pieces.reduce((sum, { terms }) => sum + terms.length, 0) / Math.max(1, pieces.length);
  const spread = new Map(
    wanted.map((term) => [term, pieces.filter(({ terms }) => terms.includes(term)).length] as const),
  );
  const scored = pieces
    .map((piece) => ({ piece, score: scoreOf(piece, wanted) }))
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score);
  const best = scored[0]?.score ?? 0;

  const chosen: Piece[] = [];
  let room = maxCharacters;
  for (const { piece, score } of scored) {
    if (score < best * MIN_RELATIVE_SCORE || (piece.text.length > room && chosen.length > 0)) continue;
    chosen.push(piece);
    room -= piece.text.length + 2;
    if (room <= 0) break;
  }
  return chosen
    .toSorted((a, b) => a.start - b.start)
    .map(({ start, text: shown }) => ({ start, text: shown.slice(0, maxCharacters) }));

  function scoreOf({ terms }: Piece, query: readonly string[]): number {
    let score = 0;
    for (const term of query) {
      const count = terms.filter((own) => own === term).length;
      if (count === 0) continue;
      const found = spread.get(term) ?? 0;
      const rarity = Math.log(1 + (pieces.length - found + 0.5) / (found + 0.5));
      const length = 1 - LENGTH_WEIGHT + (LENGTH_WEIGHT * terms.length) / Math.max(1, average);
      score += (rarity * count * (SATURATION + 1)) / (count + SATURATION * length);
    }
    return score;
  }
}

/** Splits into paragraphs, merging short ones; headings count as terms of the text below them. */
function piecesOf(text: string, analyser: TermAnalyser): Piece[] {
  const pieces: Piece[] = [];
  let heading = '';
  let open: { start: number; end: number } | undefined;
  const close = () => {
    if (open === undefined) return;
    const own = text.slice(open.start, open.end);
    pieces.push({ start: open.start, text: own, heading, terms: analyser.analyse(`${heading}\n${own}`) });
    open = undefined;
  };
  for (const block of text.matchAll(/\S(?:[\s\S]*?\S)?(?=\n[^\S\n]*\n|\s*$)/g)) {
    const [own] = block;
    const title = /^#{1,6}\s+(.+)$/.exec(own)?.[1];
    if (title !== undefined) {
      close();
      heading = title;
      open = { start: block.index, end: block.index + own.length };
      continue;
    }
    if (open !== undefined && block.index + own.length - open.start > MAX_PIECE_LENGTH) close();
    open = { start: open?.start ?? block.index, end: block.index + own.length };
    if (open.end - open.start >= MIN_PIECE_LENGTH) close();
  }
  close();
  return pieces;
}
