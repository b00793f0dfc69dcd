import { z } from 'zod';
import { ServiceError } from '../../errors.ts';
import type { IndexState } from '../../store/index-state.ts';
import { indexGraph } from '../../store/vector-index.ts';
import type { VectorSpace } from '../../store/vector-spaces.ts';
import { timestamp } from './record-parts.ts';
import { optional, snakeCased } from './tolerant.ts';

/** docs/contract.md 14. */
export const indexRecord = z
  .object({
    index: z.object({
      name: z.string(),
      table_name: z.string(),
      index_method: z.string(),
      index_measure: z.string(),
      index_arguments: z.record(z.string(), z.number()),
      index_column: z.string(),
      state: z.enum(['current', 'building', 'previous']),
      health: z.enum(['in_step', 'checking', 'rebuilding', 'down']).exactOptional(),
      embedder: z.string(),
      embedder_version: z.string(),
      dimensions: z.int(),
      vectors: z.int(),
      created_at: timestamp,
    }),
  })
  .meta({ id: 'VectorIndex' }) satisfies z.ZodType<{ [Name in keyof ReturnType<typeof toIndexRecord>]: unknown }>;

/** The only supported kind of index: HNSW with cosine distance. */
const TABLE = 'chunks';
const METHOD = 'hnsw';
const MEASURE = 'cosine_distance';

/** docs/contract.md 14. The state and embedder of the index are additions. */
export function toIndexRecord(space: VectorSpace, state: IndexState) {
  return {
    index: {
      name: space.collection,
      table_name: TABLE,
      index_method: METHOD,
      index_measure: MEASURE,
      index_arguments: builtWith,
      index_column: 'vec',
      state: space.state,
      ...(space.state === 'current' && { health: state.kind }),
      embedder: space.embedder,
      embedder_version: space.version,
      dimensions: space.dimensions,
      vectors: space.vectors,
      created_at: space.createdAt,
    },
  };
}

/** A request for an index. Only the existing kind is accepted; errors for other requests name the alternative. */
export const newIndex = snakeCased(
  z.object({
    config: snakeCased(
      z.object({
        table_name: optional(z.string()),
        index_method: optional(z.string()),
        index_measure: optional(z.string()),
        index_arguments: optional(z.record(z.string(), z.unknown())),
      }),
    ),
    run_with_orchestration: optional(z.union([z.boolean(), z.stringbool()])),
  }),
).transform(({ config, run_with_orchestration }) => {
  const { table_name: table = TABLE, index_method: method = 'auto', index_measure: measure = MEASURE } = config;
  if (table !== TABLE && table !== 'vectors') {
    throw refused(`Only chunks have a vector index; "${table}" is searched without one. Use "${TABLE}".`);
  }
  if (method !== METHOD && method !== 'auto') {
    throw refused(`The index method "${method}" is not supported; use "${METHOD}" or "auto".`);
  }
  if (measure !== MEASURE) {
    throw refused(
      `The index uses ${MEASURE}. A search by "${measure}" compares the stored vectors exactly and needs no ` +
        'index: set search_settings.chunk_settings.index_measure.',
    );
  }
  checkArguments(config.index_arguments ?? {});
  return { isAwaited: run_with_orchestration === false };
});

/** Throws `invalid_request` if the requested arguments exceed those with which the index is built. */
function checkArguments(given: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(given)) {
    const max = Object.hasOwn(builtWith, name) ? builtWith[name] : undefined;
    if (max === undefined) throw refused(`The index has no argument "${name}"; it has m and ef_construction.`);
    if (typeof value !== 'number' || value > max) {
      throw refused(`The index is built with ${name} ${max}, which cannot be increased; use ${max} or less.`);
    }
  }
}

const builtWith: Readonly<Record<string, number>> = {
  m: indexGraph.neighbours,
  ef_construction: indexGraph.construction,
};

const refused = (message: string) => new ServiceError('invalid_request', message);
