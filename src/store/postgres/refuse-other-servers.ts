import { ServiceError } from '../../errors.ts';
import { LOCKS } from './baseline/cluster-tables.ts';
import type { Announced } from './cluster-members.ts';
import type { RunQuery } from './serialise-queries.ts';

/** Throws `conflict` if this server cannot use the database together with those that use it already. */
export async function refuseOtherServers(
  query: RunQuery,
  key: number,
  { isAlone, isCopying = false, vectorIndex = 'chroma', name }: Announced & { readonly name: string },
): Promise<void> {
  const { rows } = await query({
    text: `select bool_or(is_alone) as is_alone, bool_or(is_copying) as is_copying,
       array_agg(vector_index) as vector_indexes from cluster_servers s
     where s.key <> $1 and exists (select 1 from pg_locks l where l.locktype = 'advisory' and l.granted
       and l.classid = ${LOCKS} and l.objid = s.key::oid and l.objsubid = 2
       and l.database = (select oid from pg_database where datname = current_database()))
     having count(*) > 0`,
    values: [key],
  });
  if (rows.length === 0) return;
  if (rows[0].is_copying) {
    throw new ServiceError(
      'conflict',
      `The records of the database ${name} are being copied by "citewell migrate store". Try again when it has ended.`,
    );
  }
  if (isCopying) {
    throw new ServiceError('conflict', `A server uses the database ${name}. Stop all its servers, and try again.`);
  }
  const other = rows[0].vector_indexes.find((kind: string) => kind !== vectorIndex);
  if (other !== undefined) {
    throw new ServiceError(
      'conflict',
      `Another server uses the database ${name} with CITEWELL_VECTOR_INDEX=${other}, this one has ${vectorIndex}. ` +
        "They could not find each other's vectors: set it to the same value for all servers of the database.",
    );
  }
  if (!(isAlone || rows[0].is_alone)) return;
  const holder = isAlone ? 'this one' : 'that one';
  throw new ServiceError(
    'conflict',
    `Another server uses the database ${name}, and ${holder} has a Chroma of its own, which the other cannot search. ` +
      'For several servers on one database set CHROMA_URL to the same Chroma for all of them, or ' +
      'CITEWELL_VECTOR_INDEX=pgvector. A command uses the server of its data folder: set CITEWELL_DATA_DIR to that.',
  );
}
