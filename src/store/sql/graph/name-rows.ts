import { sql } from 'kysely';
import { normalForm, normalTerm } from '../../../graph/normal-form.ts';
import type { Queries } from '../vector-spaces/space-rows.ts';
import { renewCommunityTerms } from './community-rows.ts';

/**
 * Normal form of a name; names with the same form denote the same entity. Case, accents, legal forms and plurals of
 * terms are ignored.
 */
export const nameForm = (name: string): string =>
  (/\p{Lu}/u.test(name) ? normalForm(name) : normalTerm(name)).toWellFormed();

/** The rows of these names by folded name; new names are inserted and indexed. */
export async function ensureNames(database: Queries, names: Iterable<string>): Promise<ReadonlyMap<string, number>> {
  const wanted = new Map<string, string>();
  for (const name of names) {
    const folded = nameForm(name);
    if (folded !== '' && !wanted.has(folded)) wanted.set(folded, name.toWellFormed());
  }
  const given = JSON.stringify([...wanted]);
  const added = await sql<{ key: number }>`
    insert into graph_names (folded, name)
    select value ->> 0, value ->> 1 from json_each(${given}) where true
    on conflict (folded) do nothing returning key`.execute(database);
  if (added.rows.length > 0) {
    const keys = JSON.stringify(added.rows.map(({ key }) => key));
    await sql`
      insert into graph_name_terms (rowid, terms)
      select n.key, index_terms('', '[]', n.name) ->> 'body'
      from json_each(${keys}) as j join graph_names n on n.key = j.value`.execute(database);
  }
  const { rows } = await sql<{ folded: string; key: number }>`
    select n.folded, n.key from json_each(${given}) as j join graph_names n on n.folded = j.value ->> 0`.execute(
    database,
  );
  return new Map(rows.map(({ folded, key }) => [folded, key]));
}

/** Rebuilds the full-text indexes of names and communities, after a change of the analyser. */
export async function renewGraphTerms(database: Queries): Promise<void> {
  await sql`insert into graph_name_terms (graph_name_terms) values ('delete-all')`.execute(database);
  await sql`
    insert into graph_name_terms (rowid, terms)
    select key, index_terms('', '[]', name) ->> 'body' from graph_names`.execute(database);
  await sql`insert into graph_community_terms (graph_community_terms) values ('delete-all')`.execute(database);
  await renewCommunityTerms(database, null);
}
