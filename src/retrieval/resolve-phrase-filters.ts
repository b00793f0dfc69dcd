import { ServiceError } from '../errors.ts';
import type { ChunkSearch, PhraseFilters } from '../store/chunk-search.ts';
import { termSequences } from '../store/full-text/term-sequences.ts';
import type { ReadQuery } from './read-query.ts';
import type { SearchLog } from './search-log.ts';
import type { SearchSettings } from './search-settings.ts';

interface Settling {
  readonly chunks: Pick<ChunkSearch, 'countPhrases'>;
  readonly settings: SearchSettings;
  readonly log: SearchLog;
  readonly signal: AbortSignal;
}

/** Result of the operators in a query. */
export interface ResolvedPhraseFilters {
  /** Phrases every hit must and must not contain; undefined when there are none. */
  readonly phraseFilters: PhraseFilters | undefined;
  /** Phrases that rank their hits first; empty when none are preferred. */
  readonly preferred: readonly string[];
}

/**
 * Phrases are required when some chunk contains them all; phrases that are not found are searched as words, with a
 * note. In a question, where the answer may use other words, and in a longer text, where quotation marks may be
 * incidental, phrases are only preferred. Throws `invalid_request` when the query consists of exclusions only.
 */
export async function resolvePhraseFilters(query: ReadQuery, settling: Settling): Promise<ResolvedPhraseFilters> {
  const excluded = query.excluded.filter(hasTerms);
  if (excluded.length > 0 && !hasTerms(query.text)) {
    throw new ServiceError(
      'invalid_request',
      `The query only says what to leave out (${excluded.map((words) => `-"${words}"`).join(' ')}). ` +
        'Say what to look for as well; a word that itself begins with a hyphen is written in quotation marks.',
    );
  }
  const phrases = query.phrases.filter(hasTerms);
  if (phrases.length + excluded.length === 0) return { phraseFilters: undefined, preferred: [] };
  const sayable = phrases.length === 0 ? [] : await sayableOf(phrases, settling);
  const prefers = query.isQuestion || wordsBeside(query) > MAX_WORDS_BESIDE;
  const required = prefers ? [] : sayable;
  const preferred = prefers ? sayable : [];
  settling.log.phraseFilters({ phrases, required, preferred, excluded });
  return { phraseFilters: required.length + excluded.length === 0 ? undefined : { required, excluded }, preferred };
}

/** With more words beside the phrases, the query is text with quotations in it, such as a pasted error message. */
const MAX_WORDS_BESIDE = 4;
const wordsBeside = ({ text, phrases }: ReadQuery): number =>
  countWords(text) - phrases.reduce((sum, phrase) => sum + countWords(phrase), 0);
const countWords = (text: string): number => text.match(/[\p{L}\p{N}\p{M}_]+/gu)?.length ?? 0;

const hasTerms = (words: string): boolean => termSequences(words).length > 0;

async function sayableOf(
  phrases: readonly string[],
  { chunks, settings, log, signal }: Settling,
): Promise<readonly string[]> {
  const count = (among: readonly string[]) =>
    chunks.countPhrases?.(among, { filter: settings.filter, ...(settings.asOf && { asOf: settings.asOf }), signal });
  const counts = await count(phrases);
  if (counts === undefined || counts.all > 0) return phrases;
  const said = phrases.filter((_, place) => (counts.each[place] ?? 0) > 0);
  for (const phrase of phrases.filter((each) => !said.includes(each))) {
    log.note(`No passage says "${phrase}" in these words; they were looked for one by one.`);
  }
  const together = said.length < 2 || said.length === phrases.length ? undefined : await count(said);
  if (said.length === 1 || (together?.all ?? 0) > 0) return said;
  if (said.length > 1) {
    log.note('No passage says all the phrases in quotation marks; their words were looked for one by one.');
  }
  return [];
}
