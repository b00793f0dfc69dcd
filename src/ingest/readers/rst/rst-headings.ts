export interface Adorned {
  readonly title: string;
  /** The underline character, doubled when there is also an overline. */
  readonly style: string;
  /** The line after it. */
  readonly next: number;
}

const ADORNMENT = /^([!-/:-@[-`{-~])\1*\s*$/;

/** The section title that begins at a line, if any. */
export function adornedAt(lines: readonly string[], at: number): Adorned | undefined {
  const first = lines[at] ?? '';
  const second = lines[at + 1] ?? '';
  const third = lines[at + 2] ?? '';
  const over = markOf(first);
  // With overline and underline the title may be indented.
  if (
    over !== undefined &&
    second.trim() !== '' &&
    markOf(third) === over &&
    first.trimEnd().length >= second.trim().length &&
    !ADORNMENT.test(second)
  )
    return { title: second.trim(), style: over + over, next: at + 3 };
  const under = markOf(second);
  if (under === undefined || over !== undefined || /^\s/.test(first) || first.trim() === '') return undefined;
  const length = second.trimEnd().length;
  const isLongEnough = length >= widthOf(first.trimEnd()) || length >= 4;
  return isLongEnough ? { title: first.trim(), style: under, next: at + 2 } : undefined;
}

const markOf = (line: string): string | undefined => {
  const mark = ADORNMENT.exec(line)?.[1];
  return mark !== undefined && line.trimEnd().length >= 2 && mark !== '|' && !/^(?:::|\.\.|--)\s*$/.test(line)
    ? mark
    : undefined;
};

const widthOf = (text: string): number => [...text].length;
