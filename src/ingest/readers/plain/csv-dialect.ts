export interface Dialect {
  readonly delimiter: ',' | ';' | '\t' | '|';
  readonly columns: number;
  /** Share of the sampled rows that have exactly `columns` cells. */
  readonly agreement: number;
}

const DELIMITERS = [',', ';', '\t', '|'] as const;
const SAMPLED_ROWS = 50;

/** The delimiter for which the number of cells per row varies least in the first rows. */
export function sniffDialect(text: string): Dialect {
  let best: Dialect = { delimiter: ',', columns: 1, agreement: 1 };
  let bestScore = 0;
  for (const delimiter of DELIMITERS) {
    const dialect = measure(text, delimiter);
    // A higher column count wins only at about equal agreement.
    const score = dialect.columns < 2 ? 0 : dialect.agreement + Math.min(dialect.columns, 10) / 100;
    if (score > bestScore) {
      best = dialect;
      bestScore = score;
    }
  }
  return best;
}

function measure(text: string, delimiter: Dialect['delimiter']): Dialect {
  if (!text.includes(delimiter)) return { delimiter, columns: 1, agreement: 1 };
  const counts = new Map<number, number>();
  let rows = 0;
  let cells = 1;
  let isQuoted = false;
  let isBlank = true;
  for (let index = 0; index <= text.length && rows < SAMPLED_ROWS; index++) {
    const character = text[index];
    if (character === '"') isQuoted = !isQuoted;
    if (isQuoted && character !== undefined) continue;
    if (character === delimiter) cells++;
    else if (character === '\n' || character === undefined) {
      if (!isBlank) {
        counts.set(cells, (counts.get(cells) ?? 0) + 1);
        rows++;
      }
      cells = 1;
      isBlank = true;
      continue;
    }
    if (character !== ' ') isBlank = false;
  }
  let columns = 1;
  let max = 0;
  for (const [count, frequency] of counts) {
    if (frequency > max || (frequency === max && count > columns)) {
      max = frequency;
      columns = count;
    }
  }
  return { delimiter, columns, agreement: rows === 0 ? 0 : max / rows };
}
