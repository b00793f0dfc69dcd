import type { Span } from '../../citations/citation.ts';

/** `Default value: none`, at the start of a line. */
const LABEL = /^[\p{L}\p{N}][^:：\n|]{0,58}[:：]\s+\S/u;

/**
 * Which of the pieces of a text are a label with its value, as in lists of definitions and facts: in a paragraph of at
 * least two such lines. What they are about stands in the heading above them.
 */
export function labelledLines(text: string, pieces: readonly Span[]): readonly boolean[] {
  const isCandidate = pieces.map(
    ({ start, end }) => (start === 0 || text[start - 1] === '\n') && LABEL.test(text.slice(start, end)),
  );
  const labelled = pieces.map(() => false);
  let block: number[] = [];
  const close = () => {
    if (block.length > 1) for (const index of block) labelled[index] = true;
    block = [];
  };
  for (const [index, { start }] of pieces.entries()) {
    const before = pieces[index - 1];
    if (before !== undefined && /\n\s*\n/.test(text.slice(before.end, start))) close();
    if (isCandidate[index] === true) block.push(index);
  }
  close();
  return labelled;
}
