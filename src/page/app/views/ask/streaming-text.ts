import type { MarkerSpan } from '../../../../client/stream-events.ts';

// An incomplete marker, or one without a citation event yet.
const UNFINISHED_MARKER = /\s*[[【［][\s\d,;–—^-]{0,32}[\]】］]?$/;
const UNFINISHED_LINK = /\[[^\]\n]{0,200}\](?:\([^)\s]*)?$/;
const UNFINISHED_SIGN = /[*_`~]+$/;
const FORMULA = /\$\$[^$]+\$\$|\\\[[\s\S]+?\\\]|\\\([\s\S]+?\\\)|\$(?=\S)[^$\n]*[^\s$]\$(?!\d)/g;
/** A formula without its end in the last paragraph. A single "$" may also be a currency. */
const UNFINISHED_FORMULA = /(?:\$\$|\\[[(])(?![\s\S]*\n\n)/;

/**
 * The displayable part of a text that is being generated: without an incomplete marker or formula, and with open emphasis
 * closed.
 * Only the end is changed, so that offsets stay valid.
 */
export function streamingText(text: string, marks: readonly MarkerSpan[]): string {
  const settled = marks.at(-1)?.end ?? 0;
  let shown = text;
  for (const pattern of [UNFINISHED_MARKER, UNFINISHED_LINK]) {
    const at = shown.search(pattern);
    if (at >= settled && at >= 0) shown = shown.slice(0, at);
  }
  if (isInFence(shown)) return shown;
  const formula = shown
    .replaceAll(FORMULA, blank)
    .replaceAll(/`[^`\n]*`/g, blank)
    .search(UNFINISHED_FORMULA);
  if (formula >= settled && formula >= 0) shown = shown.slice(0, formula);
  const bare = shown.replace(UNFINISHED_SIGN, '');
  if (bare.length >= settled && isOpening(shown, bare.length)) shown = bare;
  return shown + closingSigns(shown.slice(shown.lastIndexOf('\n\n') + 1));
}

const blank = (text: string): string => ' '.repeat(text.length);

const isInFence = (text: string): boolean => (text.match(/^[ \t>]*(?:```|~~~)/gm) ?? []).length % 2 === 1;

/** Whether the characters at the end open emphasis: they follow white space, a bracket or nothing. */
const isOpening = (text: string, from: number): boolean =>
  from < text.length && /^$|[\s([{"“]$/.test(text.slice(0, from));

/** Characters that close code and emphasis left open in the last paragraph. */
function closingSigns(paragraph: string): string {
  const line = paragraph.slice(paragraph.lastIndexOf('\n') + 1);
  const code = (line.match(/`/g) ?? []).length % 2 === 1 ? '`' : '';
  const outside = paragraph
    .replaceAll(FORMULA, '')
    .replaceAll(/`[^`\n]*`?/g, '')
    .replaceAll(/^[ \t>]*\*[ \t]/gm, '');
  const emphasis = (outside.match(/(?<!\*)\*(?!\*)(?=\S)|(?<=\S)(?<!\*)\*(?!\*)/g) ?? []).length % 2 === 1 ? '*' : '';
  const strong = (outside.match(/\*\*(?=\S)|(?<=\S)\*\*/g) ?? []).length % 2 === 1 ? '**' : '';
  // One of the two closing characters is present already.
  if (strong !== '' && emphasis !== '' && paragraph.endsWith('*')) return `${code}*`;
  return code + emphasis + strong;
}
