import type { DifferenceRecord } from './source-data.ts';

type Difference = DifferenceRecord['differences'][number];

/** Two passages shown side by side: both sides for a change, one side for a removed or added passage. */
export interface DifferencePair {
  readonly before: Difference | undefined;
  readonly after: Difference | undefined;
}

export interface PairedDifferences {
  readonly pairs: readonly DifferencePair[];
  /** Number of passages whose text is unchanged but that have moved, e.g. to another heading. */
  readonly moved: number;
}

/** Passages with a smaller share of common words are not paired. */
const MIN_SHARED = 0.4;
/** Comparing every pair takes too long for more passages. */
const MAX_COMPARED = 200;

/** Pairs each removed passage with the added one that replaced it, in the order of the texts. */
export function pairDifferences(differences: DifferenceRecord['differences']): PairedDifferences {
  const removed = differences.filter(({ kind }) => kind === 'removed');
  const added = differences.filter(({ kind }) => kind === 'added');
  const left = new Set(added);
  const partners = new Map<Difference, Difference>();
  let moved = 0;
  const same = new Set<Difference>();
  for (const before of removed) {
    const after = [...left].find(({ text }) => text === before.text);
    if (after === undefined) continue;
    left.delete(after);
    same.add(before).add(after);
    moved++;
  }
  const open = removed.filter((each) => !same.has(each));
  if (open.length <= MAX_COMPARED && left.size <= MAX_COMPARED) {
    const candidates = open
      .flatMap((before) => [...left].map((after) => ({ before, after, shared: sharedWords(before.text, after.text) })))
      .filter(({ shared }) => shared >= MIN_SHARED)
      .toSorted((one, other) => other.shared - one.shared);
    for (const { before, after } of candidates) {
      if (partners.has(before) || !left.has(after)) continue;
      partners.set(before, after);
      left.delete(after);
    }
  }
  const pairs: DifferencePair[] = [
    ...open.map((before) => ({ before, after: partners.get(before) })),
    ...[...left].map((after) => ({ before: undefined, after })),
  ];
  const startOf = ({ before, after }: DifferencePair): number => after?.start ?? before?.start ?? 0;
  return { pairs: pairs.toSorted((one, other) => startOf(one) - startOf(other)), moved };
}

/** Number of common words relative to the longer text. */
function sharedWords(one: string, other: string): number {
  const [words, others] = [one, other].map((text) => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []);
  const counts = new Map<string, number>();
  for (const word of words ?? []) counts.set(word, (counts.get(word) ?? 0) + 1);
  let shared = 0;
  for (const word of others ?? []) {
    const count = counts.get(word) ?? 0;
    if (count === 0) continue;
    shared++;
    counts.set(word, count - 1);
  }
  return shared / Math.max(1, words?.length ?? 0, others?.length ?? 0);
}

export interface Piece {
  readonly text: string;
  readonly isChanged: boolean;
}

const MAX_WORDS = 1_000;

/** Splits both texts into changed and unchanged pieces, by the longest common subsequence of words. */
export function changedWords(before: string, after: string): { readonly before: Piece[]; readonly after: Piece[] } {
  const [one, other] = [before, after].map((text) => text.match(/\s+|[\p{L}\p{N}]+|[^\s\p{L}\p{N}]/gu) ?? []);
  if (one === undefined || other === undefined || one.length > MAX_WORDS || other.length > MAX_WORDS) {
    return { before: [{ text: before, isChanged: false }], after: [{ text: after, isChanged: false }] };
  }
  const width = other.length + 1;
  const lengths = new Uint16Array((one.length + 1) * width);
  const at = (row: number, column: number): number => lengths[row * width + column] ?? 0;
  for (let row = one.length - 1; row >= 0; row--) {
    for (let column = other.length - 1; column >= 0; column--) {
      lengths[row * width + column] =
        one[row] === other[column] ? at(row + 1, column + 1) + 1 : Math.max(at(row + 1, column), at(row, column + 1));
    }
  }
  const pieces = { before: [] as Piece[], after: [] as Piece[] };
  let row = 0;
  let column = 0;
  while (row < one.length || column < other.length) {
    const [word, otherWord] = [one[row], other[column]];
    if (word !== undefined && word === otherWord) {
      put(pieces.before, word, false);
      put(pieces.after, word, false);
      row++;
      column++;
    } else if (otherWord === undefined || (word !== undefined && at(row + 1, column) >= at(row, column + 1))) {
      put(pieces.before, word ?? '', true);
      row++;
    } else {
      put(pieces.after, otherWord, true);
      column++;
    }
  }
  return pieces;
}

function put(pieces: Piece[], text: string, isChanged: boolean): void {
  const last = pieces.at(-1);
  if (last?.isChanged === isChanged) pieces[pieces.length - 1] = { text: last.text + text, isChanged };
  else pieces.push({ text, isChanged });
}
