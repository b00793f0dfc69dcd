import type { WebPassage } from '../citations/citation.ts';
import type { WebResult } from '../web/web-search.ts';

/** A web result as a citable source; only its snippet was read. */
export const toWebPassage = ({ id, url, title, snippet, position, date, sitelinks }: WebResult): WebPassage => ({
  kind: 'result',
  id,
  url,
  title,
  text: snippet,
  start: 0,
  position,
  date,
  sitelinks,
});
