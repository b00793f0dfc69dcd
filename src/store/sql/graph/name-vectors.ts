import { sql } from 'kysely';
import type { GraphNameRecords } from '../../graph-records.ts';
import { isSameSpace } from '../../vector-index.ts';
import type { Database } from '../database.ts';
import { currentSpace } from '../vector-spaces/space-rows.ts';
import { toVectorBytes } from '../vector-spaces/vector-bytes.ts';

/** Vectors of names, deleted with the name and with their space. */
export function createNameVectors({ reader, writer }: Database): GraphNameRecords {
  return {
    async unembeddedNames(name, max) {
      const space = await currentSpace(reader);
      if (space === undefined || !isSameSpace(space, name)) return [];
      const { rows } = await sql<{ key: number; name: string }>`
        select top.key, top.name from (
          select n.key, n.name from graph_names n join document_entities e on e.name_key = n.key
          group by n.key order by sum(e.mentions) desc, n.key limit ${max}) as top
        where not exists (
          select 1 from graph_name_vectors v where v.space_key = ${space.key} and v.name_key = top.key)`.execute(
        reader,
      );
      return rows;
    },

    async keepVectors(name, vectors) {
      await writer.transaction().execute(async (transaction) => {
        const space = await currentSpace(transaction);
        // The corpus moved to another embedder meanwhile; its names are embedded again.
        if (space === undefined || !isSameSpace(space, name)) return;
        for (const { key, vector } of vectors) {
          await sql`
            insert into graph_name_vectors (space_key, name_key, vector)
            select ${space.key}, key, ${toVectorBytes(vector)} from graph_names where key = ${key}
            on conflict do nothing`.execute(transaction);
        }
      });
    },
  };
}
