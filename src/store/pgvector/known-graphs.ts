import { CompiledQuery } from 'kysely';
import type { Reading, SearchCache } from '../postgres/search/reading.ts';
import type { SpaceRow } from '../sql/vector-spaces/space-rows.ts';
import { GRAPHS, type Graph, graphOf, isHalf, tableOf, wholeGraph } from './vector-tables.ts';

interface KnownGraph {
  /** `half` is the graph of this version; `whole` is that of an earlier version, which it replaces. */
  readonly kind: 'half' | 'whole';
  readonly seenAt: number;
}

/** Interval for rechecking a graph of an earlier version, which any server may replace in the background. */
const LOOK_AGAIN_MS = 5_000;

const known = new WeakMap<SearchCache, Map<string, KnownGraph>>();

/** The graph that a collection's table has or will have; undefined for more dimensions than pgvector can index. */
export async function graphIn(
  reading: Reading,
  { collection, dimensions }: Pick<SpaceRow, 'collection' | 'dimensions'>,
): Promise<Graph | undefined> {
  const own = graphOf(dimensions);
  if (own === undefined || !isHalf(dimensions)) return own;
  const graphs = known.get(reading.cache) ?? new Map<string, KnownGraph>();
  known.set(reading.cache, graphs);
  let graph = graphs.get(collection);
  if (graph === undefined || (graph.kind === 'whole' && performance.now() - graph.seenAt > LOOK_AGAIN_MS)) {
    graph = { kind: await kindOf(reading, collection), seenAt: performance.now() };
    graphs.set(collection, graph);
  }
  return graph.kind === 'half' ? own : wholeGraph;
}

async function kindOf(reading: Reading, collection: string): Promise<KnownGraph['kind']> {
  const database = await reading.transaction();
  const { rows } = await database.executeQuery<{ half: number; valid: number }>(
    CompiledQuery.raw(GRAPHS, [tableOf(collection)]),
  );
  const valid = rows.filter((row) => row.valid === 1);
  return valid.length > 0 && valid.every(({ half }) => half === 0) ? 'whole' : 'half';
}
