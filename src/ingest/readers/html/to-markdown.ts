import type { Block } from '../reader.ts';

/** Converts a read text to Markdown, marking up blocks where they are not already marked. */
export function toMarkdown(text: string, blocks: readonly Block[]): string {
  if (blocks.length === 0) return text;
  return blocks.map((block) => marked(text.slice(block.start, block.end), block)).join('\n\n');
}

function marked(text: string, { kind, level }: Block): string {
  switch (kind) {
    case 'heading':
      return `${'#'.repeat(Math.min(6, Math.max(1, level ?? 1)))} ${text.replaceAll(/\s+/g, ' ').replace(/^#+\s+/, '')}`;
    case 'code':
      return text.startsWith('```') ? text : fenced(text);
    case 'quote':
      return text.replaceAll(/^/gm, '> ');
    case 'paragraph':
    case 'list':
    case 'table':
      return text;
  }
}

/** A code fence longer than any run of backticks in the code. */
export function fenced(code: string, language = ''): string {
  const longest = [...code.matchAll(/`+/g)].reduce((max, [run]) => Math.max(max, run.length), 0);
  const fence = '`'.repeat(Math.max(3, longest + 1));
  return `${fence}${language}\n${code.trimEnd().replace(/^(?:[ \t]*\n)+/, '')}\n${fence}`;
}
