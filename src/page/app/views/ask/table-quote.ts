import type { AnswerState, Mark } from './answer-state.ts';

/** The cells of a quoted table row such as "| Tea | 3 |"; undefined for any other text. */
export function cellsOfRow(text: string): readonly string[] | undefined {
  const row = /^\|(.+)\|$/.exec(text.trim())?.[1];
  if (row === undefined) return undefined;
  return row.split(/(?<!\\)\|/).flatMap((cell) => cell.trim().replaceAll('\\|', '|') || []);
}

/**
 * The cell that answers, with the names of its row and column ("Tea, Price: 3 (EUR)"), as an extractive answer gives it
 * after the location of the quotation; undefined if the quotation is no table row.
 */
export function answeringCell({ text }: Pick<AnswerState, 'text'>, mark: Mark, title: string): string | undefined {
  const [, line = ''] = text.slice(mark.end).split('\n', 2);
  const location = `— ${title.replaceAll(/\s+/g, ' ')}`;
  const isOfSource = line.startsWith(location);
  return isOfSource ? /^(?:, (?:page|slide) \d+)?; (.+)$/.exec(line.slice(location.length))?.[1] : undefined;
}
