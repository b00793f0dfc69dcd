export interface ListItem {
  /** Set for an item of a numbered list. */
  readonly number?: number;
}

interface SurroundingText {
  /** Number of the last numbered item before. */
  readonly last?: number;
  /** The previous line of the paragraph, and its first line; undefined at the beginning of a paragraph. */
  readonly before?: string | undefined;
  readonly first?: string | undefined;
}

const BULLET = /^\s*[-*+•‣◦▪]\s+\S/;
// Dashes also occur within sentences, so a wrapped line may begin with one.
const DASH = /^\s*[–·]\s+\S/;
const NUMBER = /^\s*\(?(\d{1,3})[.)]\s+\S/;
const LETTER = /^\s*\(?(?:([a-zA-Z])|[ivxIVX]{2,5})[.)]\s+\S/;
const ENDS_CLAUSE = /[.:;!?,][)"”’]*\s*$/;

/**
 * The list item that a line starts, if any. Within a paragraph, a number starts an item only in sequence, and a letter
 * or a dash only after the end of a clause: "Interstate\n9. Major roads" and "Nicholas\nE. Golovin" are prose.
 */
export function startsListItem(
  line: string,
  { last = 0, before, first = '' }: SurroundingText = {},
): ListItem | undefined {
  if (BULLET.test(line)) return {};
  const [, digits] = NUMBER.exec(line) ?? [];
  if (digits !== undefined) {
    const number = Number(digits);
    const follows = number === 1 || number === last + 1 || (before !== undefined && NUMBER.test(before));
    return before === undefined || follows ? { number } : undefined;
  }
  if (DASH.test(line)) return before === undefined || ENDS_CLAUSE.test(before) || DASH.test(first) ? {} : undefined;
  if (!LETTER.test(line)) return undefined;
  return before === undefined || ENDS_CLAUSE.test(before) || LETTER.test(first) ? {} : undefined;
}
