export interface Piece {
  readonly text: string;
  readonly isMarked: boolean;
}

/** Splits a text into pieces and marks the search terms. A term ending in "-" is a stem and matches as a prefix. */
export function markTerms(text: string, terms: readonly string[]): readonly Piece[] {
  const whole = new Set(terms.filter((term) => !term.endsWith('-')).map(fold));
  const stems = terms.flatMap((term) => (term.endsWith('-') && term.length > 2 ? [fold(term.slice(0, -1))] : []));
  const pieces: Piece[] = [];
  let last = 0;
  for (const match of text.matchAll(/[\p{L}\p{N}]+/gu)) {
    const word = fold(match[0]);
    if (!whole.has(word) && !stems.some((stem) => word.startsWith(stem))) continue;
    if (match.index > last) pieces.push({ text: text.slice(last, match.index), isMarked: false });
    last = match.index + match[0].length;
    pieces.push({ text: match[0], isMarked: true });
  }
  if (last < text.length) pieces.push({ text: text.slice(last), isMarked: false });
  return pieces;
}

const fold = (word: string): string => word.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
