import { type RawBuilder, sql } from 'kysely';
import type { CompiledFilter, Condition } from '../../sql/search/compile-filter.ts';
import { type KeySet, keySet } from '../../sql/search/key-set.ts';
import type { Queries } from '../../sql/vector-spaces/space-rows.ts';
import { numbers } from '../array-values.ts';
import { readPostings } from '../full-text/postgres-full-text.ts';

/** A condition compiled by `postgresSql`, as a part of another statement. */
export function toRaw({ sql: text, parameters }: Condition): RawBuilder<boolean> {
  // Values are bound in order; the parts are joined flat, as thousands of conditions nested would be too deep.
  const parts = `(${text})`.split(/\$\d+/);
  return sql<boolean>(Object.assign(parts, { raw: parts }), ...parameters);
}

/** The visible chunks `c` with their documents `d`. */
export const VISIBLE = sql.raw(
  'chunks c join documents d on d.key = c.document_key and d.generation = c.generation and d.generation > 0',
);

/** Whether a visible chunk passes, without the filter's phrases. */
export const passes = (filter: CompiledFilter): RawBuilder<boolean> =>
  filter === null ? sql<boolean>`true` : toRaw(filter.onChunks);

/** Exactly the visible chunks that pass; undefined when all do. */
export async function resolveFilter(database: Queries, filter: CompiledFilter): Promise<KeySet | undefined> {
  if (filter === null) return undefined;
  const { rows } = await sql<{ keys: string | null }>`
    select string_agg(c.key::text, ',') as keys from ${VISIBLE} where ${passes(filter)}`.execute(database);
  const keys = rows[0]?.keys?.split(',').map(Number) ?? [];
  return keySet(await withPhrases(database, keys, filter));
}

/** Those of the chunks that have the required phrases and none of the excluded ones. */
export async function withPhrases(
  database: Queries,
  keys: readonly number[],
  { phraseFilters }: NonNullable<CompiledFilter>,
): Promise<readonly number[]> {
  let left = keys;
  for (const phrase of phraseFilters?.required ?? []) {
    const having = await chunksWithPhrase(database, phrase);
    left = left.filter((key) => having.has(key));
  }
  for (const phrase of phraseFilters?.excluded ?? []) {
    const having = await chunksWithPhrase(database, phrase);
    left = left.filter((key) => !having.has(key));
  }
  return left;
}

/** The visible chunks that have one of a phrase's sequences of terms, in the title or in the body. */
export async function chunksWithPhrase(database: Queries, phrase: string): Promise<ReadonlySet<number>> {
  const found = new Set<number>();
  for (const sequence of JSON.parse(phrase) as string[][]) {
    const postings = await readPostings(database, 'chunk_terms', sequence);
    const [first, ...others] = sequence.map((term) => new Set((postings.get(term) ?? []).map(({ key }) => key)));
    const candidates = [...(first ?? [])].filter((key) => others.every((each) => each.has(key)));
    const words = ` ${sequence.join(' ')} `;
    const { rows } = await sql<{ key: number }>`
      select key from chunk_terms where key in ${numbers(candidates)}
        and (position(${words} in ' ' || body || ' ') > 0 or position(${words} in ' ' || title || ' ') > 0)
      `.execute(database);
    for (const { key } of rows) found.add(key);
  }
  return found;
}
