import type { Span } from '../../citations/citation.ts';

/** `Default value: none`, at the start of a line. */
const LABEL = /^([\p{L}\p{N}][^:：\n|]{0,58})[:：]\s+\S/u;

/**
 * For each piece of a text that is a label with its value, among at least two such lines, the first piece of its record;
 * undefined for the others. Lists of definitions and facts consist of such lines: what they are about stands
 * in the heading above, or in the first line, as in `Option: Columns`, whose label begins each record.
 */
export function labelledLines(text: string, pieces: readonly Span[]): readonly (number | undefined)[] {
  const labels = pieces.map(({ start, end }) =>
    start === 0 || text[start - 1] === '\n' ? LABEL.exec(text.slice(start, end))?.[1] : undefined,
  );
  const records: (number | undefined)[] = pieces.map(() => undefined);
  let block: number[] = [];
  const close = () => {
    let [first] = block;
    const begin = first === undefined ? undefined : labels[first];
    for (const index of block.length > 1 ? block : []) {
      if (labels[index] === begin) first = index;
      records[index] = first;
    }
    block = [];
  };
  for (const [index, { start }] of pieces.entries()) {
    if (labels[index] !== undefined) block.push(index);
    // Further sentences of a value follow on its line.
    else if (start === 0 || text[start - 1] === '\n') close();
  }
  close();
  return records;
}
