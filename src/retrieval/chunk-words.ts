/** The words of a chunk, for comparing two chunks; in scripts without spaces, its characters. */
export const chunkWords = (text: string): string[] =>
  text.normalize('NFKC').toLowerCase().match(WORD)?.map(String) ?? [];

const WORD =
  /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}\p{sc=Tibt}]\p{M}*|[\p{L}\p{M}\p{N}]+/gu;

/** Jaccard similarity of two sets: the intersection divided by the union. */
export function jaccardSimilarity(one: ReadonlySet<string>, two: ReadonlySet<string>): number {
  const shared = sharedOf(one, two);
  const all = one.size + two.size - shared;
  return all === 0 ? 0 : shared / all;
}

/** Cosine similarity of two sets of words. */
export const cosineSimilarity = (one: ReadonlySet<string>, two: ReadonlySet<string>): number =>
  one.size === 0 || two.size === 0 ? 0 : sharedOf(one, two) / Math.sqrt(one.size * two.size);

function sharedOf(one: ReadonlySet<string>, two: ReadonlySet<string>): number {
  const [few, many] = one.size <= two.size ? [one, two] : [two, one];
  let shared = 0;
  for (const member of few) if (many.has(member)) shared++;
  return shared;
}
