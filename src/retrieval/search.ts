import type { PhraseFilters } from '../store/chunk-search.ts';
import type { SearchPlan } from './plan-search.ts';
import type { SearchLog } from './search-log.ts';
import type { SearchSettings } from './search-settings.ts';

/** Parameters of one search. */
export interface Search {
  readonly settings: SearchSettings;
  readonly plan: SearchPlan;
  /** Phrases every hit must and must not contain. */
  readonly phraseFilters: PhraseFilters | undefined;
  /** Number of hits needed before any are removed. */
  readonly depth: number;
  readonly log: SearchLog;
  readonly signal: AbortSignal;
}
