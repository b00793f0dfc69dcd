import type { CallToolResult } from '@modelcontextprotocol/server';
import type { Tool } from '../toolbox/tool.ts';

/** Applies a prefix to tool names. */
export interface ToolNaming {
  name(tool: string): string;
  /** Applies the prefix to tool names in our own texts. */
  text(text: string): string;
  /** Applies the prefix in results, which may name the next call. */
  result(result: CallToolResult): CallToolResult;
}

/** Prefixes tool names, also in texts that tell a model which tool to call. */
export function withPrefix(prefix: string, tools: readonly Tool[]): ToolNaming {
  if (prefix === '') return { name: (tool) => tool, text: (text) => text, result: (result) => result };
  const names = tools.map(({ name }) => name).sort((a, b) => b.length - a.length);
  const compound = names.filter((name) => name.includes('_')).join('|') || '(?!)';
  // Names that are also ordinary words are replaced only in phrases that clearly mean a call.
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
    text: (text) => text.replace(inWords, add),
    result: (result) => ({
      ...result,
      content: result.content.map((block) =>
        block.type === 'text' ? { ...block, text: block.text.replace(inResults, add) } : block,
      ),
    }),
  };
}
