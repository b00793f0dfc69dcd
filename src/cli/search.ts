import type { Json } from '../documents/document.ts';
import type { Passage, SearchMode, SearchResult } from './client.ts';
import type { CommandContext } from './command-context.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import { paragraph, place } from './layout.ts';
import type { Output } from './output.ts';
import { withClient } from './with-client.ts';

interface SearchOptions {
  readonly limit: number;
  readonly offset: number;
  readonly filter?: { readonly [key: string]: Json };
  readonly mode?: SearchMode;
  readonly json?: boolean;
  readonly explain?: boolean;
}

const LINES_PER_PASSAGE = 4;

/** `citewell search`: the passages that fit best, best first. */
export function search(query: string, options: SearchOptions, context: CommandContext): Promise<ExitCode> {
  return withClient(context, async (client) => {
    const result = await client.search(
      {
        query,
        limit: options.limit,
        offset: options.offset,
        filters: options.filter ?? {},
        explain: options.explain === true,
        ...(options.mode && { mode: options.mode }),
      },
      context.interruption.stop,
    );
    if (options.json) context.output.print(JSON.stringify(toJson(query, result)));
    else show(result, options.offset, context.output);
    return exitCodes.ok;
  });
}

function toJson(query: string, { passages, explanation }: SearchResult): Json {
  return {
    query,
    results: passages.map((passage) => passageJson(passage)),
    ...(explanation !== undefined && { explanation }),
  };
}

/** A passage for scripts, in the spelling of the HTTP interface. */
export function passageJson({ documentId, headingPath, ...rest }: Passage): Json {
  return { ...rest, document_id: documentId, heading_path: headingPath };
}

function show({ passages, explanation }: SearchResult, offset: number, output: Output): void {
  if (passages.length === 0) output.note('Nothing was found.');
  passages.forEach((passage, index) => {
    const where = place(passage);
    output.print(
      `${offset + index + 1}. ${output.style('bold', passage.title)}${where === '' ? '' : output.style('dim', ` (${where})`)}` +
        `  ${output.style('cyan', passage.score.toFixed(3))}`,
    );
    output.print(paragraph(passage.text, { width: output.width, indent: '   ', maxLines: LINES_PER_PASSAGE }));
    output.print(output.style('dim', `   ${passage.documentId}${explained(passage)}`));
    output.print();
  });
  if (explanation !== undefined) output.print(JSON.stringify(explanation, null, 2));
}

function explained({ explain }: Passage): string {
  return explain === undefined ? '' : `  ${JSON.stringify(explain)}`;
}
