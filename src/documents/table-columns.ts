const HEADER = /^\s*(\|?.*\|.*)\n\s*\|?\s*:?-{2,}[^\n]*(?:\n|$)/;
/** Longer headers, such as those of questionnaires, are ignored. */
const MAX_HEADER = 4_000;

/**
 * The column names of the Markdown table whose body contains the offset; undefined outside of tables and in the header
 * itself. Unnamed columns are empty.
 */
export function tableColumnsAt(text: string, offset: number): readonly string[] | undefined {
  // Tables contain no blank line, so the table begins no earlier than the last blank line before the offset.
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

/** Whether the offset is at the end of the text or at the blank line that ends the table. */
const isPast = (text: string, offset: number): boolean => offset >= text.length || text.startsWith('\n\n', offset);
