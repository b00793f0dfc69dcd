const HEADER = /^\s*(\|?.*\|.*)\n\s*\|?\s*:?-{2,}[^\n]*(?:\n|$)/;
/** Longer headers, e.g. questionnaires', are not looked for. */
const MAX_HEADER = 4_000;

/**
 * The column names of the Markdown table that this offset lies within, below its header; undefined outside tables and in
 * the header itself. Unnamed columns are empty.
 */
export function tableColumnsAt(text: string, offset: number): readonly string[] | undefined {
  // Tables contain no blank line, so one above the offset is where the table begins at the earliest.
  const start = offset === 0 ? 0 : text.lastIndexOf('\n\n', offset - 1) + 1;
  const [whole, line] = HEADER.exec(text.slice(start, start + MAX_HEADER)) ?? [];
  if (whole === undefined || line === undefined || offset < start + whole.length || isPast(text, offset))
    return undefined;
  const inner = line
    .trim()
    .replace(/^\|/, '')
    .replace(/(?<!\\)\|$/, '');
  const names = inner.split(/(?<!\\)\|/).map((name) => name.replaceAll('\\|', '|').trim());
  return names.some((name) => /[\p{L}\p{N}]/u.test(name)) ? names : undefined;
}

/** At the blank line that ends the table. */
const isPast = (text: string, offset: number): boolean => offset >= text.length || text.startsWith('\n\n', offset);
