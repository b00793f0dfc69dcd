import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { z } from 'zod';

/** Documents, questions about them, and which documents answer which question. */
export interface TestCollection {
  readonly name: string;
  readonly documents: readonly { readonly id: string; readonly title: string; readonly text: string }[];
  readonly queries: readonly { readonly text: string; readonly gains: ReadonlyMap<string, number> }[];
}

const documentLine = z.object({ id: z.string(), title: z.string().default(''), text: z.string() });
const queryLine = z.object({ id: z.string(), text: z.string() });

/**
 * Reads a folder in BEIR's form: `corpus.jsonl` (id, title, text), `queries.jsonl` (id, text) and `qrels.tsv` (query id,
 * document id, score, under a header). Queries without a relevant document are left out.
 */
export async function readTestCollection(folder: string): Promise<TestCollection> {
  const lines = async (file: string) =>
    (await readFile(join(folder, file), 'utf8')).split('\n').filter((line) => line.trim() !== '');
  const documents = (await lines('corpus.jsonl')).map((line) => documentLine.parse(JSON.parse(line)));
  const gains = new Map<string, Map<string, number>>();
  for (const line of (await lines('qrels.tsv')).slice(1)) {
    const [query = '', document = '', score = ''] = line.split('\t');
    const known = gains.get(query) ?? new Map<string, number>();
    gains.set(query, known.set(document, Number(score)));
  }
  const queries = (await lines('queries.jsonl'))
    .map((line) => queryLine.parse(JSON.parse(line)))
    .map(({ id, text }) => ({ text, gains: gains.get(id) ?? new Map<string, number>() }))
    .filter((query) => [...query.gains.values()].some((gain) => gain > 0));
  return { name: basename(folder), documents, queries };
}
