/** The text without tags of these names, so that it cannot leave the tags that mark it as data in a prompt. */
export const withinTags = (text: string, ...names: readonly string[]): string =>
  text.replace(new RegExp(`<(?=/?(?:${names.join('|')})\\b)`, 'gi'), '‹');
