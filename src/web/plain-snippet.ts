const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  hellip: '…',
  ndash: '–',
  mdash: '—',
};

/** The text of a snippet without the HTML highlighting and line breaks of the search engine. */
export const plainSnippet = (text: string): string =>
  text
    .replaceAll(/<\/?(?:strong|b|em|i|mark|span|br|p)\b[^<>]{0,200}>/gi, '')
    .replaceAll(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,8}));/gi, (whole, decimal, hex, name) => {
      const code = decimal !== undefined ? Number(decimal) : hex !== undefined ? Number.parseInt(hex, 16) : undefined;
      if (code !== undefined) return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole;
      return ENTITIES[String(name).toLowerCase()] ?? whole;
    })
    .replaceAll(/\s+/g, ' ')
    .trim()
    .toWellFormed();
