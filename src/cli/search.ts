import { z } from 'zod';
import { sourceAddress } from '../citations/source-address.ts';
import type { Json } from '../documents/document.ts';
import type { Client } from './client.ts';
import type { CommandContext } from './command-context.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import type { ChunkRecord, SearchResult } from './from-wire.ts';
import { formatLocation, paragraph, table, visibleLine } from './layout.ts';
import { noteEmptyCorpus } from './note-empty-corpus.ts';
import type { Output } from './output.ts';
import type { SearchMode } from './search-query.ts';
import { withClient } from './with-client.ts';

interface SearchOptions {
  readonly limit: number;
  readonly offset: number;
  readonly filter?: { readonly [key: string]: Json };
  readonly asOf?: string;
  readonly mode?: SearchMode;
  readonly json?: boolean;
  readonly explain?: boolean;
}

const LINES_PER_CHUNK = 4;

/** `citewell search`: the best chunks in rank order. */
export function search(query: string, options: SearchOptions, context: CommandContext): Promise<ExitCode> {
  return withClient(context, async (client) => {
    const result = await client.search(
      {
        query,
        limit: options.limit,
        offset: options.offset,
        filters: options.filter ?? {},
        ...(options.asOf !== undefined && { asOf: options.asOf }),
        explain: options.explain === true,
        ...(options.mode && { mode: options.mode }),
      },
      context.interruption.stop,
    );
    if (options.json) context.output.print(JSON.stringify(toJson(query, result)));
    else {
      const isEmpty = result.chunks.length === 0 && (await noteEmptyCorpus(client, context.output));
      if (!isEmpty) show(result, { ...options, page: client.page }, context.output);
    }
    const { chroma } = await context.config();
    if (chroma !== undefined) await noteDeadIndex(client, chroma.url, context.output);
    return exitCodes.ok;
  });
}

async function noteDeadIndex(client: Client, url: string, output: Output): Promise<void> {
  const { index } = await client.status();
  if (index.state !== 'unavailable') return;
  const words = `The Chroma of CHROMA_URL (${url}) does not answer; the stored vectors were searched instead.`;
  output.note(output.noteStyle('yellow', `warning: ${words}`));
}

function toJson(query: string, { chunks, notes, explanation }: SearchResult): Json {
  return {
    query,
    results: chunks.map((chunk) => chunkJson(chunk)),
    ...(notes.length > 0 && { notes }),
    ...(explanation !== undefined && { explanation }),
  };
}

/** A chunk as JSON, with the field names of the HTTP API. */
export function chunkJson({ documentId, headingPath, documentType: _, ...rest }: ChunkRecord): Json {
  return { ...rest, document_id: documentId, heading_path: headingPath };
}

function show({ chunks, notes, explanation }: SearchResult, page: RequestedPage, output: Output): void {
  const { offset } = page;
  if (chunks.length === 0) output.note('Nothing found.');
  chunks.forEach((chunk, index) => {
    const where = formatLocation(chunk);
    output.print(
      `${offset + index + 1}. ${output.style('bold', output.link(visibleLine(chunk.title), addressOf(chunk, page)))}${where === '' ? '' : output.style('dim', ` (${where})`)}` +
        `  ${output.style('cyan', chunk.score.toFixed(3))}`,
    );
    output.print(paragraph(chunk.text, { width: output.width, indent: '   ', maxLines: LINES_PER_CHUNK }));
    output.print(output.style('dim', `   ${chunk.documentId}${explained(chunk)}`));
    output.print();
  });
  for (const note of notes) output.note(note);
  if (explanation !== undefined) for (const line of explanationLines(explanation)) output.print(line);
}

type RequestedPage = Pick<SearchOptions, 'offset' | 'asOf'> & { readonly page: string | undefined };

/** URL of a chunk on the web page; in its version if an earlier time was searched. */
function addressOf(
  { documentId, version, start, end }: ChunkRecord,
  { asOf, page }: RequestedPage,
): string | undefined {
  if (page === undefined) return undefined;
  const quotes = start === null || end === null ? [] : [{ start, end }];
  return page + sourceAddress(documentId, { version: asOf === undefined ? undefined : version, quotes });
}

const leg = z.object({ rank: z.number(), score: z.number() });
// For the reranker, the rank before it is shown; the one after it is the hit's position.
const reranked = z
  .object({ rank_before: z.number(), score: z.number() })
  .transform(({ rank_before: rank, score }) => ({ rank, score }));
const legs = z.record(z.string(), z.union([leg, reranked]).nullable());

/** Each leg's rank and score, e.g. `semantic #1 0.377, full text #3 0.201`. */
function explained({ explain }: ChunkRecord): string {
  const parsed = legs.safeParse(explain);
  if (!parsed.success) return '';
  const parts = Object.entries(parsed.data).map(([leg, found]) => {
    const name = leg.replaceAll('_', ' ');
    return found === null ? `${name} -` : `${name} #${found.rank} ${found.score.toFixed(3)}`;
  });
  return `  ${parts.join(', ')}`;
}

/** The explanation's fields as aligned lines, without empty ones. */
export function explanationLines(explanation: Json): string[] {
  if (typeof explanation !== 'object' || explanation === null) return [];
  return table(filledFields(explanation));
}

/** Names and values of the fields that have a value. */
function filledFields(record: Json & object): [name: string, value: string][] {
  return Object.entries<Json>(record)
    .filter(([, value]) => value !== null && !(Array.isArray(value) && value.length === 0))
    .map(([name, value]) => [name.replaceAll('_', ' '), formatValue(value)]);
}

function formatValue(value: Json): string {
  if (typeof value === 'number') return Number.isInteger(value) ? String(value) : value.toFixed(1);
  if (Array.isArray(value)) return value.map(formatValue).join(', ');
  if (typeof value !== 'object' || value === null) return String(value);
  return filledFields(value)
    .map((field) => field.join(' '))
    .join(', ');
}
