import { ServiceError } from '../errors.ts';
import type { ChunkSearch, Wording } from '../store/chunk-search.ts';
import { termSequences } from '../store/full-text/term-sequences.ts';
import type { ReadQuery } from './read-query.ts';
import type { SearchLog } from './search-log.ts';
import type { SearchSettings } from './search-settings.ts';

interface Settling {
  readonly chunks: Pick<ChunkSearch, 'countSaying'>;
  readonly settings: SearchSettings;
  readonly log: SearchLog;
  readonly signal: AbortSignal;
}

/** What the marks of a query come to. */
export interface SettledWording {
  /** What every hit must and must not say; undefined when that is nothing. */
  readonly wording: Wording | undefined;
  /** What the hits that come first say, others following them; empty when none is preferred so. */
  readonly preferred: readonly string[];
}

/**
 * Phrases count as far as a passage says them all; those that cannot be had are looked for word by word, and a note
 * tells of it. They are required, but in a question, which may well name what the answer says in other words, preferred.
 * Throws `invalid_request` when the query only says what to leave out.
 */
export async function settleWording(query: ReadQuery, settling: Settling): Promise<SettledWording> {
  const excluded = query.excluded.filter(hasTerms);
  if (excluded.length > 0 && !hasTerms(query.text)) {
    throw new ServiceError(
      'invalid_request',
      `The query only says what to leave out (${excluded.map((words) => `-"${words}"`).join(' ')}). ` +
        'Say what to look for as well; a word that itself begins with a hyphen is written in quotation marks.',
    );
  }
  const phrases = query.phrases.filter(hasTerms);
  if (phrases.length + excluded.length === 0) return { wording: undefined, preferred: [] };
  const sayable = phrases.length === 0 ? [] : await sayableOf(phrases, settling);
  const required = query.isQuestion ? [] : sayable;
  const preferred = query.isQuestion ? sayable : [];
  settling.log.wording({ phrases, required, preferred, excluded });
  return { wording: required.length + excluded.length === 0 ? undefined : { required, excluded }, preferred };
}

const hasTerms = (words: string): boolean => termSequences(words).length > 0;

async function sayableOf(
  phrases: readonly string[],
  { chunks, settings, log, signal }: Settling,
): Promise<readonly string[]> {
  const count = (among: readonly string[]) =>
    chunks.countSaying?.(among, { filter: settings.filter, ...(settings.asOf && { asOf: settings.asOf }), signal });
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
