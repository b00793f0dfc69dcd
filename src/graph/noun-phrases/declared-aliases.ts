import type { MentionCandidate } from './mention-candidate.ts';
import type { Sentence } from './sentence.ts';

/** Two names that a sentence declares to be the same, as normal forms. */
export interface DeclaredAlias {
  readonly short: string;
  readonly long: string;
}

/** `European Union (EU)` and `EU (European Union)`; the letters must be initials of the words. */
export function declaredAliases(sentence: Sentence, candidates: readonly MentionCandidate[]): DeclaredAlias[] {
  const { tokens } = sentence;
  const aliases: DeclaredAlias[] = [];
  for (const [place, first] of candidates.entries()) {
    const second = candidates[place + 1];
    if (second === undefined) break;
    const isBracketed =
      tokens[first.to]?.text === '(' && second.from <= first.to + 2 && /^[),;]$/.test(tokens[second.to]?.text ?? '');
    if (!isBracketed) continue;
    if (isAcronymOf(second.text, first.text)) aliases.push({ short: second.form, long: first.form });
    else if (isAcronymOf(first.text, second.text)) aliases.push({ short: first.form, long: second.form });
  }
  return aliases;
}

/** Whether the letters of `short` are initials of the words of `long`, in order; words may be skipped. */
function isAcronymOf(short: string, long: string): boolean {
  const letters = short.replaceAll('.', '').replace(/s$/, '');
  if (!/^\p{Lu}[\p{Lu}\p{Ll}\d]{1,7}$/u.test(letters) || (letters.match(/\p{Lu}/gu)?.length ?? 0) < 2) return false;
  const wanted = [...letters.toLowerCase()];
  const words: readonly string[] = long.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  if (words.length < 2 && letters.length > 2) return false;
  let at = 0;
  let used = 0;
  for (const [place, word] of words.entries()) {
    if (!word.startsWith(wanted[at] ?? '-')) continue;
    at++;
    used++;
    // `Electrocardiogram (ECG)`: the remaining letters come from within the last word.
    if (place === words.length - 1 && at < wanted.length && word.includes(wanted[at] ?? '-', 1)) at++;
  }
  return at === wanted.length && used >= 2;
}
