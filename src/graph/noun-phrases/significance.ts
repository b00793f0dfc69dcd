import type { GraphLanguage } from './language.ts';
import type { Subject } from './spotted.ts';
import { commonNouns } from './word-lists.ts';

/** A term of one word has to be said so often to matter, a longer one and a German compound less. */
const ONE_WORD = 4;
const LONGER = 2;
/** Where the dictionary cannot tell a noun from a verb. */
const UNSPACED = 3;

const IDEOGRAPHIC = /^\P{Script=Latin}/u;

/** Whether a document speaks of something enough by itself, without a sentence that says what it is. */
export function isSignificant({ kind, key, mentions }: Subject, headings: string, language: GraphLanguage): boolean {
  if (kind === 'name') return mentions.some(({ isWeak }) => !isWeak);
  if (kind === 'date') return false;
  const isCommon = !key.includes(' ') && commonNouns.has(key);
  if (isCommon) return false;
  const isLong = key.includes(' ') || language === 'de';
  if (IDEOGRAPHIC.test(key)) return mentions.length >= UNSPACED;
  return mentions.length >= (isLong ? LONGER : ONE_WORD) || (key.includes(' ') && headings.includes(key));
}
