/** A term with a similar spelling, and its edit distance. */
export interface NearTerm {
  readonly term: string;
  readonly distance: number;
}

export interface NearQuery {
  readonly word: string;
  readonly distance: number;
  /** Maximum steps; the terms found so far are returned. */
  readonly steps: number;
  /** Length of the prefix that must be equal. */
  readonly sameBeginning: number;
}

/**
 * The terms of a sorted vocabulary within an edit distance of a word, where a transposition counts as one edit.
 *
 * `seek` returns the first term at or after a text, in code point order. The vocabulary is walked like a trie: a prefix
 * that is too far from every prefix of the word is skipped with all its terms, which takes some hundred steps for one
 * edit regardless of the size of the vocabulary.
 */
export function nearTerms(seek: (from: string) => string | undefined, query: NearQuery): NearTerm[] {
  const word = [...query.word];
  const found: NearTerm[] = [];
  const rows: number[][] = [Array.from({ length: word.length + 1 }, (_, index) => index)];
  let from: string | undefined = word.slice(0, query.sameBeginning).join('');
  let letters: readonly string[] = [];
  let depth = 0;
  for (let step = 0; step < query.steps && from !== undefined; step++) {
    const term = seek(from);
    if (term === undefined) break;
    const before = letters;
    letters = [...term];
    // The matrix rows of the prefix that both terms share are still valid.
    let known = 0;
    while (known < depth && before[known] === letters[known]) known++;
    depth = walk(letters, word, { rows, query, known });
    if (depth === letters.length) {
      const distance = rows[depth]?.[word.length] ?? Number.POSITIVE_INFINITY;
      if (distance > 0 && distance <= query.distance) found.push({ term, distance });
    }
    from = next(letters, word, { rows, query, depth });
  }
  return found;
}

interface Walk {
  readonly rows: number[][];
  readonly query: NearQuery;
}

/**
 * Fills the matrix row of each prefix, of which the first `known` are filled already, and returns the length of the
 * longest prefix that can still lead to a match.
 */
function walk(
  letters: readonly string[],
  word: readonly string[],
  { rows, query, known }: Walk & { readonly known: number },
): number {
  for (let depth = known + 1; depth <= letters.length; depth++) {
    if (depth <= query.sameBeginning && letters[depth - 1] !== word[depth - 1]) return depth - 1;
    const row = rowAfter(letters, word, { rows, depth });
    rows[depth] = row;
    if (row.every((changes) => changes > query.distance)) return depth - 1;
  }
  return letters.length;
}

function rowAfter(
  letters: readonly string[],
  word: readonly string[],
  { rows, depth }: { readonly rows: readonly (readonly number[])[]; readonly depth: number },
): number[] {
  const above = rows[depth - 1] ?? [];
  const letter = letters[depth - 1];
  const row = [depth];
  for (let index = 1; index <= word.length; index++) {
    const isSame = word[index - 1] === letter;
    let min = Math.min((above[index] ?? 0) + 1, (row[index - 1] ?? 0) + 1, (above[index - 1] ?? 0) + (isSame ? 0 : 1));
    if (depth > 1 && index > 1 && word[index - 1] === letters[depth - 2] && word[index - 2] === letter) {
      min = Math.min(min, (rows[depth - 2]?.[index - 2] ?? 0) + 1);
    }
    row.push(min);
  }
  return row;
}

/** Where the walk continues: below this term if it can still match, else after the letter that ruled it out. */
function next(
  letters: readonly string[],
  word: readonly string[],
  { rows, query, depth }: Walk & { readonly depth: number },
): string | undefined {
  if (depth === letters.length) return `${letters.join('')}\u0001`;
  for (let at = depth; at >= query.sameBeginning; at--) {
    const letter = nextLetter(letters[at] ?? '', word, rows[at] ?? [], query.distance);
    if (letter !== undefined) return letters.slice(0, at).join('') + letter;
  }
  return undefined;
}

/** The next letter after this one with which a match can continue. */
function nextLetter(
  letter: string,
  word: readonly string[],
  row: readonly number[],
  distance: number,
): string | undefined {
  const code = letter.codePointAt(0) ?? 0;
  if (row.some((changes) => changes < distance)) return codeAfter(code);
  let best: string | undefined;
  for (const [index, candidate] of word.entries()) {
    const value = candidate.codePointAt(0) ?? 0;
    if ((row[index] ?? 0) > distance || value <= code) continue;
    if (best === undefined || value < (best.codePointAt(0) ?? 0)) best = candidate;
  }
  return best;
}

function codeAfter(code: number): string | undefined {
  if (code >= 0x10ffff) return undefined;
  return String.fromCodePoint(code + 1 >= 0xd800 && code + 1 <= 0xdfff ? 0xe000 : code + 1);
}
