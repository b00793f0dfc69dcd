import { audienceFor, type Principal } from '../access/principal.ts';
import { visibleFilter } from '../access/visible-filter.ts';
import { allOf } from '../documents/filter.ts';
import type { SearchSettings } from './search-settings.ts';

/** The same search, restricted to what the principal may see, with notes for the principal. */
export function visibleTo(principal: Principal, settings: SearchSettings): SearchSettings {
  const readable = visibleFilter(principal);
  return { ...settings, filter: allOf(readable, settings.filter), readable, audience: audienceFor(principal) };
}
