/** `Traveller:` in a form. */
const LABEL = /^[^:：]{1,60}[:：]$/;

/**
 * Which rows belong to forms: tables, without a header, in which every row begins with a label that ends in a colon and
 * is followed by its value. `lines` are the cells of each line, undefined for prose; separator rows do not count.
 */
export function formRows(
  lines: readonly (readonly string[] | undefined)[],
  isSeparator: (cells: readonly string[]) => boolean,
): readonly boolean[] {
  const found = lines.map(() => false);
  let rows: number[] = [];
  const close = () => {
    if (rows.length > 0 && rows.every((index) => LABEL.test(lines[index]?.[0] ?? '')))
      for (const index of rows) found[index] = true;
    rows = [];
  };
  for (const [index, cells] of lines.entries()) {
    if (cells === undefined) close();
    else if (!isSeparator(cells)) rows.push(index);
  }
  close();
  return found;
}

/** The labels of a row, each with the value after it; there may be several beside each other. */
export function labelledCells(cells: readonly string[]): { readonly label: string; readonly value: string }[] {
  const pairs: { label: string; value: string }[] = [];
  for (const cell of cells) {
    const last = pairs.at(-1);
    if (LABEL.test(cell)) pairs.push({ label: cell.slice(0, -1).trim(), value: '' });
    else if (last !== undefined) last.value = [last.value, cell].filter((part) => part !== '').join(' ');
  }
  return pairs;
}
