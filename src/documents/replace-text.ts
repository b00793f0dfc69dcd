/** A text after one replacement. */
export interface Replacement {
  readonly text: string;
  /** Change in length; negative when the text became shorter. */
  readonly grown: number;
  /** First offset of the old text that is shifted. */
  readonly firstMoved: number;
  /** End of the actual difference in the old text. */
  readonly changedEnd: number;
  /** Maps an offset of the old text to the new one. */
  mapOffset(offset: number): number;
}

/**
 * Replaces the range from `start` to `end` with `text`. A common prefix and suffix count as unchanged, so that chunks
 * that overlap the range only there are not changed.
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
  // Text appended at the very end belongs to the edited chunk, so that the following chunk begins after it.
  const isAppended = changedStart === end;
  const firstMoved = isAppended ? changedStart : changedStart + 1;
  return {
    text: whole.slice(0, start) + text + whole.slice(end),
    grown,
    firstMoved,
    changedEnd,
    mapOffset(offset) {
      if (offset < firstMoved) return offset;
      return offset >= changedEnd ? offset + grown : Math.min(offset, changedEnd + grown);
    },
  };
}
