/** One element of an SQL `LIKE` pattern: any run of characters, any one character, or one of these characters. */
export type PatternPiece = 'anything' | 'one' | readonly string[];

/**
 * Parses a `LIKE` pattern with `%`, `_` and the escape `\`. When case is ignored, a character also matches its
 * upper- and lower-case forms, if these are single characters.
 */
export function readLikePattern(pattern: string, caseSensitive: boolean): PatternPiece[] {
  const pieces: PatternPiece[] = [];
  let escaped = false;
  for (const character of pattern.toWellFormed()) {
    if (!escaped && character === '\\') {
      escaped = true;
      continue;
    }
    if (!escaped && character === '%') {
      if (pieces.at(-1) !== 'anything') pieces.push('anything');
    } else if (!escaped && character === '_') pieces.push('one');
    else pieces.push(caseSensitive ? [character] : caseForms(character));
    escaped = false;
  }
  if (escaped) pieces.push(['\\']);
  return pieces;
}

/** Whether the whole text matches the pattern. Linear in practice: only the last `%` is ever retried. */
export function matchesLike(pieces: readonly PatternPiece[], text: string): boolean {
  const characters = [...text.toWellFormed()];
  let piece = 0;
  let position = 0;
  let retryPiece = -1;
  let retryPosition = 0;
  while (position < characters.length) {
    const expected = pieces[piece];
    if (expected === 'anything') {
      retryPiece = ++piece;
      retryPosition = position;
    } else if (expected === 'one' || expected?.includes(characters[position] ?? '')) {
      piece++;
      position++;
    } else if (retryPiece >= 0) {
      piece = retryPiece;
      position = ++retryPosition;
    } else return false;
  }
  while (pieces[piece] === 'anything') piece++;
  return piece === pieces.length;
}

function caseForms(character: string): readonly string[] {
  const lower = character.toLowerCase();
  const forms = new Set([
    character,
    lower,
    character.toUpperCase(),
    lower.toUpperCase(),
    character.toUpperCase().toLowerCase(),
  ]);
  return [...forms].filter((form) => [...form].length === 1);
}
