import type { CallToolResult } from '@modelcontextprotocol/server';
import type { Tool } from '../toolbox/tool.ts';

/** How tools are called outside when their names get a prefix. */
export interface Naming {
  name(tool: string): string;
  /** Our own words that name tools. */
  words(text: string): string;
  /** A result, in which lines say how to go on. */
  result(result: CallToolResult): CallToolResult;
}

/** Names with a prefix, also where texts tell a model which tool to call. */
export function withPrefix(prefix: string, tools: readonly Tool[]): Naming {
  if (prefix === '') return { name: (tool) => tool, words: (text) => text, result: (result) => result };
  const names = tools.map(({ name }) => name).sort((a, b) => b.length - a.length);
  const compound = names.filter((name) => name.includes('_')).join('|') || '(?!)';
  // A name that is also a plain word is one only where it is clearly called.
  const inWords = new RegExp(
    `\\b(?:(${compound})|(?<=(?:call|use|with|or|then) )(${names.join('|')})(?= (?:with|and|again)\\b))\\b`,
    'g',
  );
  const inResults = new RegExp(
    `(?<=(?:[Cc]all|Call one of:|rest:|text:) )(${names.join('|')})(?= (?:with|again)\\b)`,
    'g',
  );
  const add = (name: string) => `${prefix}${name}`;
  return {
    name: add,
    words: (text) => text.replace(inWords, add),
    result: (result) => ({
      ...result,
      content: result.content.map((block) =>
        block.type === 'text' ? { ...block, text: block.text.replace(inResults, add) } : block,
      ),
    }),
  };
}
