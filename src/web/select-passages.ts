import type { PagePassage } from './web-pages.ts';

/** Text → terms; the words that matter of a question, and all of a text. */
export interface TermAnalyser {
  analyse(text: string): readonly string[];
  analyseQuery(text: string): readonly string[];
}

export interface PassageQuery {
  readonly text: string;
  readonly query: string;
  readonly maxCharacters: number;
  readonly analyser: TermAnalyser;
}

interface Piece extends PagePassage {
  /** The headings it stands under. */
  readonly heading: string;
  readonly terms: readonly string[];
}

const MAX_PIECE_LENGTH = 1_200;
/** Shorter paragraphs are shown with the next. */
const MIN_PIECE_LENGTH = 250;
const SATURATION = 1.2;
const LENGTH_WEIGHT = 0.6;
/** Of the best passage's score, what another must have to be shown. */
const MIN_RELATIVE_SCORE = 0.3;

/** The passages of one text that answer a question best, in the order in which they stand: BM25 over its paragraphs. */
export function selectPassages({ text, query, maxCharacters, analyser }: PassageQuery): PagePassage[] {
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

/** Paragraphs, short ones with the next; a heading counts as words of everything below it. */
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
