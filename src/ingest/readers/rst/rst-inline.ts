/** Replaces the markup of references, roles and code by readable text. */
export const inlineRst = (text: string): string =>
  text
    .replaceAll(/``([^`\n]{1,2000})``/g, '\u0001$1\u0001')
    .replaceAll(/(?::[\w:+.-]{1,60}:)?`([^`<]{1,500}?)\s*<[^<>`]{1,2000}>`_{0,2}/g, '$1')
    .replaceAll(/:[\w:+.-]{1,60}:`~?([^`]{1,1000})`/g, '$1')
    .replaceAll(/`([^`\n]{1,500})`_{0,2}/g, '$1')
    .replaceAll(/(?<![\w`])(\w[\w.-]{0,100}\w)__?(?=[\s.,;:!?)]|$)/g, '$1')
    .replaceAll(/(?<!\S)\|([^|\n]{1,200})\|(?=[\s.,;:!?)]|$)/g, '$1')
    .replaceAll('\u0001', '`');
