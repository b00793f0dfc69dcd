import type { KeySet } from '../search/key-set.ts';
import type { Reading } from '../search/read-snapshot.ts';
import type { FoundName } from './search-names.ts';

/** A relationship between two names, as the visible documents tell of it together. */
export interface WalkedRelationship {
  /** The row of the document that says it most. */
  readonly key: number;
  readonly subject: number;
  readonly object: number;
  readonly predicate: string;
  readonly description: string;
  readonly weight: number;
  readonly score: number;
  readonly chunks: readonly number[];
}

export interface Walk {
  /** How near each name is to the query; what was found itself is nearest. */
  readonly names: ReadonlyMap<number, number>;
  /** Best first. */
  readonly relationships: readonly WalkedRelationship[];
}

/** Names from which the next step is made. */
const FROM_FIRST = 12;
const FROM_SECOND = 8;
/** Relationships of one name that count, the weightiest; the commonest names have thousands. */
const PER_NAME = 200;
/** Those read to find them where a filter hides some. */
const LOOKED_AT = 2_000;
/** What is a step away tells so much less. */
const STEP = 0.4;

/** Follows relationships from the names found over two steps. */
export function walkGraph(reading: Reading, seeds: readonly FoundName[], allowed: KeySet | undefined): Walk {
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
        const near = score * STEP * saturate(each.weight);
        reached.set(other, Math.max(reached.get(other) ?? 0, near));
      }
    }
    for (const [key, near] of reached) if ((names.get(key) ?? 0) < near) names.set(key, near);
    return [...reached].filter(([key]) => !keys.some(([known]) => known === key));
  };
  const first = from(
    seeds.slice(0, FROM_FIRST).map(({ key, score }) => [key, score]),
    1,
  );
  from(first.sort((one, two) => two[1] - one[1]).slice(0, FROM_SECOND), STEP);
  return { names, relationships: [...relationships.values()].sort((one, two) => two.score - one.score) };
}

const saturate = (weight: number): number => weight / (weight + 1);

const nameOf = ({ subject, predicate, object }: Pick<WalkedRelationship, 'subject' | 'predicate' | 'object'>) =>
  `${subject}\n${object}\n${predicate}`;

type Unscored = Omit<WalkedRelationship, 'score'>;

function relationshipsOf(reading: Reading, name: number, allowed: KeySet | undefined): Iterable<Unscored> {
  const together = new Map<string, Unscored>();
  let count = 0;
  for (const [key, subject, object, predicate, description, weight] of reading.rows(OF_NAME, name, name)) {
    const said = chunksOf(reading, Number(key), allowed);
    if (said.length === 0) continue;
    if (++count > PER_NAME) break;
    const each: Unscored = {
      key: Number(key),
      subject: Number(subject),
      object: Number(object),
      predicate: String(predicate),
      description: String(description),
      weight: Number(weight),
      chunks: said,
    };
    const known = together.get(nameOf(each));
    together.set(
      nameOf(each),
      known === undefined
        ? each
        : {
            ...known,
            description: known.description === '' ? each.description : known.description,
            weight: known.weight + each.weight,
            chunks: [...known.chunks, ...each.chunks],
          },
    );
  }
  return together.values();
}

// The weightiest first, so that the first of several tells most.
const OF_NAME = `
  select r.key, s.name_key, o.name_key, r.predicate, r.description, r.weight
  from (
    select r.key from document_entities e cross join document_relationships r on r.subject_key = e.key
    where e.name_key = ?
    union
    select r.key from document_entities e cross join document_relationships r on r.object_key = e.key
    where e.name_key = ?
  ) as found
  cross join document_relationships r on r.key = found.key
  cross join document_entities s on s.key = r.subject_key cross join document_entities o on o.key = r.object_key
  order by r.weight desc, r.key limit ${LOOKED_AT}`;

function chunksOf(reading: Reading, relationship: number, allowed: KeySet | undefined): number[] {
  const chunks: number[] = [];
  for (const [chunk] of reading.rows(MENTIONS, relationship)) {
    if (allowed !== undefined && !allowed.has(Number(chunk))) continue;
    chunks.push(Number(chunk));
    if (chunks.length >= CHUNKS_PER_RELATIONSHIP) break;
  }
  return chunks;
}

const CHUNKS_PER_RELATIONSHIP = 20;
const MENTIONS = 'select distinct chunk_key from relationship_mentions where relationship_key = ?';
