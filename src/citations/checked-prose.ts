const FENCED = /^[ \t]*(```|~~~)[^\n]*\n[\s\S]*?(?:^[ \t]*\1[^\n]*$|(?![\s\S]))/gm;
/**
 * The names of the columns of a Markdown table, and the line of dashes below them. No character can be matched in two ways,
 * which would take quadratic time.
 */
const TABLE_HEAD = /^[^\n|]*\|[^\n]*\n[ \t]*(?:\|[ \t]*)?:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*(?:\|[ \t]*)?$/gm;
const FORMULA = /\$\$[^$]{1,2000}\$\$|\\\[[^[\]]{1,2000}\\\]/g;

/**
 * An answer with spaces in place of what makes no statement: code, the heads of tables, and displayed formulas. Offsets
 * stay the same.
 */
export const checkedProse = (answer: string): string =>
  answer
    .replace(FENCED, blank)
    .replace(TABLE_HEAD, (head) => (/\[\d{1,3}\]/.test(head) ? head : blank(head)))
    .replace(FORMULA, blank);

export const blank = (text: string): string => text.replace(/[^\n]/g, ' ');
