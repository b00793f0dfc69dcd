/** A text with other words at one place. */
export interface Replacement {
  readonly text: string;
  /** By how much the text grew; below 0 when it shrank. */
  readonly grown: number;
  /** Offsets of the old text from here on move. */
  readonly firstMoved: number;
  /** Where, in the old text, what really differs ends. */
  readonly changedEnd: number;
  /** Where an offset of the old text lies in the new one. */
  moved(offset: number): number;
}

/**
 * Puts `text` in the place of what stands from `start` to `end`. What both begin and end with alike counts as
 * unchanged, so that passages which overlap the place only there stay what they are.
 */
export function replaceText(
  whole: string,
  { start, end, text }: { readonly start: number; readonly end: number; readonly text: string },
): Replacement {
  const old = whole.slice(start, end);
  const shorter = Math.min(old.length, text.length);
  let before = 0;
  while (before < shorter && old[before] === text[before]) before++;
  let after = 0;
  while (after < shorter - before && old[old.length - 1 - after] === text[text.length - 1 - after]) after++;
  const changedStart = start + before;
  const changedEnd = end - after;
  const grown = text.length - old.length;
  // Words at the very end belong to the passage that is changed, so that what follows it begins after them.
  const isAppended = changedStart === end;
  const firstMoved = isAppended ? changedStart : changedStart + 1;
  return {
    text: whole.slice(0, start) + text + whole.slice(end),
    grown,
    firstMoved,
    changedEnd,
    moved(offset) {
      if (offset < firstMoved) return offset;
      return offset >= changedEnd ? offset + grown : Math.min(offset, changedEnd + grown);
    },
  };
}
