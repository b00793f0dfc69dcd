import { ServiceError } from '../errors.ts';
import type { ChunkSearch, PhraseFilters } from '../store/chunk-search.ts';
import { termSequences } from '../store/full-text/term-sequences.ts';
import type { ReadQuery } from './read-query.ts';
import type { SearchLog } from './search-log.ts';
import type { SearchSettings } from './search-settings.ts';

interface PhraseFilterContext {
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
 * note. In a question, whose answer may use other words, and in a longer text, whose quotation marks may be incidental,
 * phrases are only preferred. Throws `invalid_request` when the query consists of exclusions only.
 */
export async function resolvePhraseFilters(
  query: ReadQuery,
  context: PhraseFilterContext,
): Promise<ResolvedPhraseFilters> {
  const excluded = query.excluded.filter(hasTerms);
  if (excluded.length > 0 && !hasTerms(query.text)) {
    throw new ServiceError(
      'invalid_request',
      `The query contains only exclusions (${excluded.map((words) => `-"${words}"`).join(' ')}). ` +
        'Say what to look for as well; a word that itself begins with a hyphen is written in quotation marks.',
    );
  }
  const phrases = query.phrases.filter(hasTerms);
  if (phrases.length + excluded.length === 0) return { phraseFilters: undefined, preferred: [] };
  const satisfiable = phrases.length === 0 ? [] : await satisfiablePhrases(phrases, context);
  const prefers = query.isQuestion || wordsOutsidePhrases(query) > MAX_WORDS_OUTSIDE_PHRASES;
  const required = prefers ? [] : satisfiable;
  const preferred = prefers ? satisfiable : [];
  context.log.phraseFilters({ phrases, required, preferred, excluded });
  return { phraseFilters: required.length + excluded.length === 0 ? undefined : { required, excluded }, preferred };
}

/** With more words beside the phrases, the query is text with quotations in it, such as a pasted error message. */
const MAX_WORDS_OUTSIDE_PHRASES = 4;
const wordsOutsidePhrases = ({ text, phrases }: ReadQuery): number =>
  countWords(text) - phrases.reduce((sum, phrase) => sum + countWords(phrase), 0);
const countWords = (text: string): number => text.match(/[\p{L}\p{N}\p{M}_]+/gu)?.length ?? 0;

const hasTerms = (words: string): boolean => termSequences(words).length > 0;

async function satisfiablePhrases(
  phrases: readonly string[],
  { chunks, settings, log, signal }: PhraseFilterContext,
): Promise<readonly string[]> {
  const count = (among: readonly string[]) =>
    chunks.countPhrases?.(among, { filter: settings.filter, ...(settings.asOf && { asOf: settings.asOf }), signal });
  const counts = await count(phrases);
  if (counts === undefined || counts.all > 0) return phrases;
  const found = phrases.filter((_, place) => (counts.each[place] ?? 0) > 0);
  for (const phrase of phrases.filter((each) => !found.includes(each))) {
    log.note(`No passage contains the phrase "${phrase}"; its words were searched for separately.`);
  }
  const together = found.length < 2 || found.length === phrases.length ? undefined : await count(found);
  if (found.length === 1 || (together?.all ?? 0) > 0) return found;
  if (found.length > 1) {
    log.note('No passage contains all quoted phrases; their words were searched for separately.');
  }
  return [];
}
