import { texts } from '../../texts.ts';
import { type AnswerState, numberOf, type Source } from './answer-state.ts';

/** The answer as Markdown with the list of its sources, for use elsewhere. */
export function answerAsText({ text, sources, marks }: AnswerState): string {
  const cited = sources.filter(({ id }) => marks.some(({ sourceId }) => sourceId === id));
  if (cited.length === 0) return text.trim();
  const ordered = cited.toSorted((one, two) => Number(numberOf(one.id)) - Number(numberOf(two.id)));
  return `${text.trim()}\n\n${texts.ask.copySources}\n${ordered.map(sourceLine).join('\n')}\n`;
}

function sourceLine({ id, title, quotes, link }: Source): string {
  const pages = quotes.flatMap(({ documentType, page }) => (page === null ? [] : texts.ask.page(documentType, page)));
  const address = link === undefined || link === title ? [] : [link];
  return `[${numberOf(id)}] ${[title, ...new Set(pages), ...address].join(', ')}`;
}
