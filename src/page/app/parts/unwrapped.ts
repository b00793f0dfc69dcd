/** Joins lines that were wrapped at a width; keeps paragraphs, list items, tables and code. */
export const unwrapped = (text: string): string =>
  text.includes('```') ? text : text.replaceAll(/(?<=[^\n|{}();:])\n(?=[\p{Ll}\d(“"])/gu, ' ');
