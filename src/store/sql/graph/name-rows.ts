import { sql } from 'kysely';
import { normalForm, normalTerm } from '../../../graph/normal-form.ts';
import { dialectOf } from '../sql-dialect.ts';
import type { Queries } from '../vector-spaces/space-rows.ts';
import { renewCommunityTerms } from './community-rows.ts';

/**
 * Normal form of a name; names with the same form denote the same entity. Case, accents, legal forms and plurals of
 * terms are ignored.
 */
export const nameForm = (name: string): string =>
  (/\p{Lu}/u.test(name) ? normalForm(name) : normalTerm(name)).toWellFormed();

/** All names, with their texts for the index. */
export const NAME_TEXTS = sql.raw("select key, '' as title, '[]' as heading_path, name as text from graph_names");

/** The rows of these names by folded name; new names are inserted and indexed. */
export async function ensureNames(database: Queries, names: Iterable<string>): Promise<ReadonlyMap<string, number>> {
  const wanted = new Map<string, string>();
  for (const name of names) {
    const folded = nameForm(name);
    if (folded !== '' && !wanted.has(folded)) wanted.set(folded, name.toWellFormed());
  }
  const { fullText, numbers, rows: table } = dialectOf(database);
  const given = table(
    { folded: 'text', name: 'text' },
    [...wanted].map(([folded, name]) => ({ folded, name })),
  );
  const added = await sql<{ key: number }>`
    insert into graph_names (folded, name)
    select folded, name from ${given} as given where true
    on conflict (folded) do nothing returning key`.execute(database);
  if (added.rows.length > 0) {
    const keys = numbers(added.rows.map(({ key }) => key));
    await fullText.add(database, 'graph_name_terms', sql`${NAME_TEXTS} where key in ${keys}`);
  }
  const { rows } = await sql<{ folded: string; key: number }>`
    select n.folded, n.key from ${given} as given join graph_names n on n.folded = given.folded`.execute(database);
  return new Map(rows.map(({ folded, key }) => [folded, key]));
}

/** Rebuilds the full-text indexes of names and communities, after a change of the analyser. */
export async function renewGraphTerms(database: Queries): Promise<void> {
  const { fullText } = dialectOf(database);
  await fullText.clear(database, 'graph_name_terms');
  await fullText.add(database, 'graph_name_terms', NAME_TEXTS);
  await fullText.clear(database, 'graph_community_terms');
  await renewCommunityTerms(database, null);
}
