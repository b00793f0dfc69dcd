import type { MarkdownIt } from 'markdown-it';
import { hasMark } from './insert-markers.ts';

/** Delimiters of formulas in TeX. */
const DELIMITERS = [
  { open: '$$', close: '$$', isDisplay: true },
  { open: '\\[', close: '\\]', isDisplay: true },
  { open: '\\(', close: '\\)', isDisplay: false },
  { open: '$', close: '$', isDisplay: false },
] as const;
const MAX_LENGTH = 2_000;

/** Formulas become tokens of the type `formula`; otherwise, Markdown would change their backslashes and underscores. */
export function formulaRule(markdown: MarkdownIt): void {
  markdown.inline.ruler.before('escape', 'formula', (state, isSilent) => {
    const delimiter = DELIMITERS.find(({ open }) => state.src.startsWith(open, state.pos));
    if (delimiter === undefined) return false;
    const { open, close, isDisplay } = delimiter;
    const from = state.pos + open.length;
    const to = endOf(state.src, from, close);
    if (to === undefined) return false;
    if (!isSilent) {
      const token = state.push('formula', '', 0);
      token.content = state.src.slice(from, to).trim();
      token.meta = { isDisplay };
    }
    state.pos = to + close.length;
    return true;
  });
}

/** Offset of the closing delimiter. A single "$" may also be a currency: "between $5 and $10". */
function endOf(text: string, from: number, close: string): number | undefined {
  for (let at = text.indexOf(close, from); at !== -1 && at - from <= MAX_LENGTH; at = text.indexOf(close, at + 1)) {
    if (text[at - 1] === '\\' && close === '$') continue;
    const source = text.slice(from, at);
    // Where a citation stands between two dollars, these are none of a formula.
    if (source.trim() === '' || hasMark(source)) return undefined;
    const isFormula =
      close !== '$' || (/\S/.test(text[from] ?? '') && /\S/.test(text[at - 1] ?? '') && !/\d/.test(text[at + 1] ?? ''));
    return isFormula ? at : undefined;
  }
  return undefined;
}
