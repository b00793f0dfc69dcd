import { UndirectedGraph } from 'graphology';
import louvainModule from 'graphology-communities-louvain';
import { seededUniform } from '../shared/seeded-random.ts';
import type { Entity, ExtractedGraph, Relationship } from './graph.ts';

// The package's types describe an ES module, but it is CommonJS: its default export is the function itself.
const louvain = louvainModule as unknown as typeof louvainModule.default;

/** Entities that are more strongly related to each other than to others. */
export interface CommunityGroup {
  /** 0 for the coarsest. */
  readonly level: number;
  /** Index of the enclosing group of the level above; null on level 0. */
  readonly parent: number | null;
  /** The most central first. */
  readonly members: readonly Entity[];
  /** Between members, the strongest first; truncated when there are very many. */
  readonly relationships: readonly Relationship[];
  /** Share, by weight, of the members' relationships that are between members: 0 to 1. */
  readonly cohesion: number;
  /** Share, by weight, of all relationships of the graph that involve members: 0 to 1. */
  readonly reach: number;
}

export interface FindCommunitiesOptions {
  /** Seed for breaking ties; default 1. */
  readonly seed?: number;
  /** Smaller groups are left out; default 3. */
  readonly minMembers?: number;
  /** Larger groups are subdivided; default 40. */
  readonly maxUndivided?: number;
  /** Default 4. */
  readonly levels?: number;
}

const MAX_RELATIONSHIPS = 200;

/**
 * Detects communities of entities by Louvain on the relationship weights. A large group is subdivided by its internal
 * relationships, so that levels are nested. Deterministic; groups are ordered by level, larger first.
 */
export function findCommunities(
  { entities, relationships }: ExtractedGraph,
  { seed = 1, minMembers = 3, maxUndivided = 40, levels = 4 }: FindCommunitiesOptions = {},
): CommunityGroup[] {
  const weights = weighEdges(entities, relationships);
  const random = seededUniform(seed);
  const groups: CommunityGroup[] = [];
  let open: { readonly places: readonly number[]; readonly parent: number | null }[] = [
    { places: entities.map((_, place) => place), parent: null },
  ];
  for (let level = 0; level < levels && open.length > 0; level++) {
    const next: typeof open = [];
    for (const { places, parent } of open) {
      for (const members of divide(places, weights, random)) {
        // A group that cannot be subdivided is not repeated on the next level.
        if (members.length < minMembers || (level > 0 && members.length === places.length)) continue;
        groups.push(describeGroup(members, { level, parent }, entities, weights));
        if (members.length > maxUndivided) next.push({ places: members, parent: groups.length - 1 });
      }
    }
    open = next;
  }
  return groups;
}

interface WeightedGraph {
  /** For each entity, by index: related entities and weights. */
  readonly neighbours: readonly ReadonlyMap<number, number>[];
  /** Sum of an entity's weights. */
  readonly strength: readonly number[];
  /** Relationships by the index of their subject. */
  readonly between: readonly (readonly { readonly to: number; readonly relationship: Relationship }[])[];
  readonly total: number;
}

function weighEdges(entities: readonly Entity[], relationships: readonly Relationship[]): WeightedGraph {
  const places = new Map(entities.map(({ name }, place) => [name, place]));
  const neighbours = entities.map(() => new Map<number, number>());
  const between: { to: number; relationship: Relationship }[][] = entities.map(() => []);
  const strength = entities.map(() => 0);
  let total = 0;
  for (const relationship of relationships) {
    const from = places.get(relationship.subject);
    const to = places.get(relationship.object);
    if (from === undefined || to === undefined || from === to) continue;
    const { weight } = relationship;
    if (!(weight > 0) || !Number.isFinite(weight)) continue;
    neighbours[from]?.set(to, (neighbours[from].get(to) ?? 0) + weight);
    neighbours[to]?.set(from, (neighbours[to].get(from) ?? 0) + weight);
    between[from]?.push({ to, relationship });
    strength[from] = (strength[from] ?? 0) + weight;
    strength[to] = (strength[to] ?? 0) + weight;
    total += weight;
  }
  return { neighbours, between, strength, total };
}

/** Subdivides a group by its internal relationships, larger parts first; entities without any are left out. */
function divide(places: readonly number[], { neighbours }: WeightedGraph, random: () => number): number[][] {
  const graph = new UndirectedGraph();
  const inside = new Set(places);
  for (const from of places) {
    for (const [to, weight] of neighbours[from] ?? []) {
      if (to < from || !inside.has(to)) continue;
      graph.mergeNode(from);
      graph.mergeNode(to);
      graph.addUndirectedEdge(from, to, { weight });
    }
  }
  if (graph.size === 0) return [];
  const communityOf = louvain(graph, { getEdgeWeight: 'weight', rng: random });
  const parts = new Map<number, number[]>();
  for (const place of places) {
    const community = communityOf[place];
    if (community === undefined) continue;
    const part = parts.get(community);
    if (part) part.push(place);
    else parts.set(community, [place]);
  }
  return [...parts.values()].sort((a, b) => b.length - a.length || (a[0] ?? 0) - (b[0] ?? 0));
}

function describeGroup(
  places: readonly number[],
  position: Pick<CommunityGroup, 'level' | 'parent'>,
  entities: readonly Entity[],
  { neighbours, strength, between, total }: WeightedGraph,
): CommunityGroup {
  const inside = new Set(places);
  const centrality = new Map(
    places.map((place) => {
      let own = 0;
      for (const [to, weight] of neighbours[place] ?? []) if (inside.has(to)) own += weight;
      return [place, own];
    }),
  );
  const ranked = places.toSorted((a, b) => (centrality.get(b) ?? 0) - (centrality.get(a) ?? 0) || a - b);
  const inner = places
    .flatMap((place) =>
      (between[place] ?? []).filter(({ to }) => inside.has(to)).map(({ relationship }) => relationship),
    )
    .sort((a, b) => b.weight - a.weight);
  const within = [...centrality.values()].reduce((sum, own) => sum + own, 0) / 2;
  const touching = places.reduce((sum, place) => sum + (strength[place] ?? 0), 0) - within;
  return {
    ...position,
    members: ranked.flatMap((place) => entities[place] ?? []),
    relationships: inner.slice(0, MAX_RELATIONSHIPS),
    cohesion: touching > 0 ? within / touching : 0,
    reach: total > 0 ? Math.min(1, touching / total) : 0,
  };
}
