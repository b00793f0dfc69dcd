import type { GraphLanguage } from './language.ts';
import type { Subject } from './mention-candidate.ts';
import { commonNouns } from './word-lists.ts';

/** Number of mentions from which a one-word term is significant; fewer for longer terms and German compounds. */
const MIN_MENTIONS_OF_WORD = 4;
const MIN_MENTIONS_OF_PHRASE = 2;
/** For scripts without spaces, where the dictionary cannot distinguish nouns from verbs. */
const MIN_MENTIONS_UNSPACED = 3;

const IDEOGRAPHIC = /^\P{Script=Latin}/u;

/** Whether a document mentions something often enough to be significant without a defining sentence. */
export function isSignificant({ kind, key, mentions }: Subject, headings: string, language: GraphLanguage): boolean {
  if (kind === 'name') return mentions.some(({ isWeak }) => !isWeak);
  if (kind === 'date') return false;
  const isCommon = !key.includes(' ') && commonNouns.has(key);
  if (isCommon) return false;
  const isLong = key.includes(' ') || language === 'de';
  if (IDEOGRAPHIC.test(key)) return mentions.length >= MIN_MENTIONS_UNSPACED;
  return (
    mentions.length >= (isLong ? MIN_MENTIONS_OF_PHRASE : MIN_MENTIONS_OF_WORD) ||
    (key.includes(' ') && headings.includes(key))
  );
}
