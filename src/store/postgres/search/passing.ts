import { createHash } from 'node:crypto';
import { type RawBuilder, sql } from 'kysely';
import type { CompiledFilter } from '../../sql/search/compile-filter.ts';
import { type KeySet, keySet } from '../../sql/search/key-set.ts';
import type { Queries } from '../../sql/vector-spaces/space-rows.ts';
import { numbers } from '../array-values.ts';
import { readPostings } from '../full-text/postgres-full-text.ts';
import { readKeys, toRaw } from './conditions.ts';
import { pastKeys } from './past.ts';
import type { Reading } from './reading.ts';

/** The visible chunks `c` with their documents `d`. */
export const VISIBLE = sql.raw(
  'chunks c join documents d on d.key = c.document_key and d.generation = c.generation and d.generation > 0',
);

/** Whether a visible chunk passes, without the filter's phrases. */
export const passes = (filter: CompiledFilter): RawBuilder<boolean> =>
  filter === null ? sql<boolean>`true` : toRaw(filter.onChunks);

/** The keys of exactly the chunks that pass, visible now or at the filter's time; undefined if all visible ones do. */
export async function resolveFilter(reading: Reading, filter: CompiledFilter): Promise<KeySet | undefined> {
  if (filter === null) return undefined;
  const { cache } = reading;
  const name = nameOfFilter(reading, filter);
  const known = cache.filters.get(name);
  if (known !== undefined) return known;
  const isPlain = filter.past === undefined && filter.phraseFilters === undefined;
  if (!isPlain) await reading.transaction();
  const present = await readKeys(reading, sql`select c.key from ${VISIBLE} where ${passes(filter)}`);
  const past = filter.past === undefined ? [] : await pastKeys(reading, filter.past);
  const keys = keySet(await withPhrases(reading, [...new Set([...present, ...past])], filter));
  cache.filters.set(name, keys);
  return keys;
}

/** Cache key of a filter in one version of the content; a digest, because a filter may list thousands of documents. */
export function nameOfFilter({ cache, content }: Pick<Reading, 'cache' | 'content'>, filter: CompiledFilter): string {
  if (filter === null) return String(content);
  const known = cache.digests.get(filter);
  const digest = known ?? createHash('sha256').update(JSON.stringify(filter)).digest('base64');
  cache.digests.set(filter, digest);
  return `${content} ${digest}`;
}

/** Those of the chunks that contain all required phrases and no excluded one. */
async function withPhrases(
  reading: Reading,
  keys: readonly number[],
  { phraseFilters, past }: NonNullable<CompiledFilter>,
): Promise<readonly number[]> {
  if (phraseFilters === undefined) return keys;
  const database = await reading.transaction();
  const isPast = past !== undefined;
  let left = keys;
  for (const phrase of phraseFilters.required) {
    const withPhrase = await chunksWithPhrase(database, phrase, isPast);
    left = left.filter((key) => withPhrase.has(key));
  }
  for (const phrase of phraseFilters.excluded) {
    const withPhrase = await chunksWithPhrase(database, phrase, isPast);
    left = left.filter((key) => !withPhrase.has(key));
  }
  return left;
}

/** Chunks, with `isPast` also of earlier versions, whose title or body contains one of the phrase's term sequences. */
export async function chunksWithPhrase(
  database: Queries,
  phrase: string,
  isPast: boolean,
): Promise<ReadonlySet<number>> {
  const found = new Set<number>();
  const tables = isPast ? (['chunk_terms', 'past_chunk_terms'] as const) : (['chunk_terms'] as const);
  for (const sequence of JSON.parse(phrase) as string[][]) {
    const words = ` ${sequence.join(' ')} `;
    for (const table of tables) {
      const postings = await readPostings(database, table, sequence);
      const [first, ...others] = sequence.map((term) => new Set((postings.get(term) ?? []).map(({ key }) => key)));
      const candidates = [...(first ?? [])].filter((key) => others.every((each) => each.has(key)));
      const { rows } = await sql<{ key: number }>`
        select key from ${sql.table(table)} where key in ${numbers(candidates)}
          and (position(${words} in ' ' || body || ' ') > 0 or position(${words} in ' ' || title || ' ') > 0)
        `.execute(database);
      for (const { key } of rows) found.add(key);
    }
  }
  return found;
}
