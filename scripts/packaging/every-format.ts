import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from '@modelcontextprotocol/client';
import { z } from 'zod';
import { readableTypes } from '../../src/ingest/readers/file-types.ts';
import { allSamples } from '../../test/ingest/readers/hostile/text-samples.ts';

/** A word that every sample contains. */
const WORD = 'harbour';
const CALL_TIMEOUT_MS = 60_000;

/** Source files differ only in their outline; these three represent all. */
const OUTLINED = ['py', 'ts', 'rs'];

const ingested = z.object({ document_id: z.string() });
const found = z.object({ results: z.array(z.object({ document_id: z.string(), text: z.string() })) });

/** Formats without a sample file; those that need an image reader are excluded. */
export function formatsWithoutSample(): string[] {
  const names = Object.keys(allSamples);
  return readableTypes
    .filter(({ isImage, isCode, type }) => !isImage && (!isCode || OUTLINED.includes(type)))
    .filter(({ extensions }) => !extensions.some((extension) => names.some((name) => name.endsWith(`.${extension}`))))
    .map(({ type }) => type);
}

/** Ingests a file of each format and searches for a word; returns the failures by file name. */
export async function takeInEveryFormat(client: Client, folder: string): Promise<Readonly<Record<string, string>>> {
  const failures: Record<string, string> = {};
  const call = async (name: string, args: Record<string, unknown>) => {
    const result = await client.callTool({ name, arguments: args }, { timeout: CALL_TIMEOUT_MS });
    if (result.isError === true) throw new Error(JSON.stringify(result.content).slice(0, 400));
    return result.structuredContent;
  };
  for (const [name, make] of Object.entries(allSamples)) {
    const path = join(folder, name);
    writeFileSync(path, make());
    try {
      const { document_id } = ingested.parse(await call('ingest_file', { path }));
      const filters = { document_id: { $eq: document_id } };
      const { results } = found.parse(await call('search_file_knowledge', { query: WORD, filters }));
      if (!results.some(({ text }) => text.includes(WORD))) failures[name] = `"${WORD}" is not found in it`;
    } catch (error) {
      failures[name] = error instanceof Error ? error.message : String(error);
    }
  }
  return failures;
}
