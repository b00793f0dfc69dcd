import type { KeySet } from '../search/key-set.ts';
import type { GraphReading } from './graph-reading.ts';
import type { FoundName } from './search-names.ts';

/** A relationship between two names, combined over all visible documents. */
export interface WalkedRelationship {
  /** The documents' rows, the one with the highest weight first. */
  readonly rows: readonly number[];
  readonly subject: number;
  readonly object: number;
  readonly predicate: string;
  readonly description: string;
  readonly weight: number;
  readonly score: number;
}

export interface Walk {
  /** Score of each name; the names found directly have the highest. */
  readonly names: ReadonlyMap<number, number>;
  /** Best first. */
  readonly relationships: readonly WalkedRelationship[];
}

/** Maximum number of names expanded per hop. */
const FIRST_HOP_NAMES = 8;
const SECOND_HOP_NAMES = 4;
/** Maximum relationships used per name, by weight; the most common names have thousands. */
const RELATIONSHIPS_PER_NAME = 40;
/** Maximum relationships read per name to find them if a filter may hide some. */
const MAX_ROWS_CHECKED = 1_000;
/** Relationships read at each end of a very common name to find those with the highest weight. */
const MAX_ROWS_READ = 150;
/** Score factor per hop. */
const HOP_DECAY = 0.4;

/** Follows relationships from the found names over two hops. */
export function walkGraph(reading: GraphReading, seeds: readonly FoundName[], allowed: KeySet | undefined): Walk {
  const names = new Map(seeds.map(({ key, score }) => [key, score]));
  const relationships = new Map<string, WalkedRelationship>();
  const from = (keys: readonly (readonly [number, number])[], share: number) => {
    const reached = new Map<number, number>();
    for (const [key, score] of keys) {
      for (const each of relationshipsOf(reading, key, allowed)) {
        const other = each.subject === key ? each.object : each.subject;
        const together = score + (names.get(other) ?? 0);
        const known = relationships.get(nameOf(each));
        const scored = { ...each, score: together * share * saturate(each.weight) };
        if (known === undefined || known.score < scored.score) relationships.set(nameOf(each), scored);
        const near = score * HOP_DECAY * saturate(each.weight);
        reached.set(other, Math.max(reached.get(other) ?? 0, near));
      }
    }
    for (const [key, near] of reached) if ((names.get(key) ?? 0) < near) names.set(key, near);
    return [...reached].filter(([key]) => !keys.some(([known]) => known === key));
  };
  const first = from(
    seeds.slice(0, FIRST_HOP_NAMES).map(({ key, score }) => [key, score]),
    1,
  );
  from(first.sort((one, two) => two[1] - one[1]).slice(0, SECOND_HOP_NAMES), HOP_DECAY);
  return { names, relationships: [...relationships.values()].sort((one, two) => two.score - one.score) };
}

const saturate = (weight: number): number => weight / (weight + 1);

const nameOf = ({ subject, predicate, object }: Pick<WalkedRelationship, 'subject' | 'predicate' | 'object'>) =>
  `${subject}\n${object}\n${predicate}`;

type Unscored = Omit<WalkedRelationship, 'score'>;

function relationshipsOf(reading: GraphReading, name: number, allowed: KeySet | undefined): Iterable<Unscored> {
  const together = new Map<string, Unscored>();
  let count = 0;
  const [maxRead, maxChecked] =
    allowed === undefined ? [MAX_ROWS_READ, RELATIONSHIPS_PER_NAME] : [10 * MAX_ROWS_READ, MAX_ROWS_CHECKED];
  for (const row of reading.rows(OF_NAME, name, maxRead, maxChecked)) {
    const [key, subject, object, predicate, description, weight] = row;
    if (allowed !== undefined && !hasVisibleMention(reading, Number(key), allowed)) continue;
    const each: Unscored = {
      rows: [Number(key)],
      subject: Number(subject),
      object: Number(object),
      predicate: String(predicate),
      description: String(description),
      weight: Number(weight),
    };
    const known = together.get(nameOf(each));
    together.set(nameOf(each), known === undefined ? each : join(known, each));
    if (++count >= RELATIONSHIPS_PER_NAME) break;
  }
  return together.values();
}

// The relationship with the highest weight came first and determines the fields.
const join = (known: Unscored, other: Unscored): Unscored => ({
  ...known,
  description: known.description === '' ? other.description : known.description,
  weight: known.weight + other.weight,
  rows: [...known.rows, ...other.rows],
});

// Further fields are read only for relationships that remain after ranking.
const OF_NAME = `
  select r.key, s.name_key as subject, o.name_key as object, r.predicate, r.description, r.weight
  from (
    select key from (
      select * from (
        select r.key, r.weight as weight
        from document_entities e cross join document_relationships r on r.subject_key = e.key
        where e.name_key = ?1 limit ?2) as outgoing
      union all
      select * from (
        select r.key, r.weight
        from document_entities e cross join document_relationships r on r.object_key = e.key
        where e.name_key = ?1 limit ?2) as incoming
    ) as near order by weight desc, key limit ?3
  ) as found
  cross join document_relationships r on r.key = found.key
  cross join document_entities s on s.key = r.subject_key cross join document_entities o on o.key = r.object_key
  order by r.weight desc, r.key`;

function hasVisibleMention(reading: GraphReading, relationship: number, allowed: KeySet): boolean {
  for (const [chunk] of reading.rows(MENTIONS, relationship)) if (allowed.has(Number(chunk))) return true;
  return false;
}

/** Chunks that pass and mention one of these rows. */
export function chunksMentioning(
  reading: GraphReading,
  rows: readonly number[],
  { allowed, most }: { readonly allowed: KeySet | undefined; readonly most: number },
): number[] {
  const chunks = new Set<number>();
  for (const row of rows) {
    for (const [chunk] of reading.rows(MENTIONS, row)) {
      if (allowed?.has(Number(chunk)) ?? true) chunks.add(Number(chunk));
      if (chunks.size >= most) return [...chunks];
    }
  }
  return [...chunks];
}

const MENTIONS = 'select distinct chunk_key from relationship_mentions where relationship_key = ?';
