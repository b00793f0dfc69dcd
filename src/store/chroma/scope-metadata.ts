import type { Metadata, Where } from 'chromadb';
import type { AccessScope, ScopeCondition } from '../access-scope.ts';

/**
 * Collections that are named in the metadata of a record, each under a key of its own. Older versions of Chroma cannot
 * store lists. The values of an `$in` do not count as predicates, so one predicate per key finds any number of
 * collections.
 */
const NAMED = 3;
const KEYS = Array.from({ length: NAMED }, (_, index) => `collection${index}`);
/** Marks a record in more collections than are named; every condition on collections matches it. */
const MORE = 'more';

/** Sets every key, because an update leaves absent keys unchanged. */
export function toMetadata({ owner, collections }: AccessScope): Metadata {
  const ids = collections.toSorted();
  const named = Object.fromEntries(KEYS.map((key, index) => [key, ids[index] ?? '']));
  return { owner, ...named, [MORE]: ids.length > NAMED };
}

/**
 * The narrowest conditions that fit into this many predicates; undefined when none does. The clause selects a superset
 * of the records that fulfil all conditions.
 */
export function toWhere(conditions: readonly ScopeCondition[], predicates: number): Where | undefined {
  const parts: Where[] = [];
  let left = predicates;
  for (const condition of conditions.toSorted((one, two) => sizeOf(one) - sizeOf(two))) {
    const alternatives = alternativesOf(condition);
    if (alternatives.length === 0 || alternatives.length > left) continue;
    left -= alternatives.length;
    parts.push(joined('$or', alternatives));
  }
  return parts.length === 0 ? undefined : joined('$and', parts);
}

const sizeOf = ({ owners, collections }: ScopeCondition): number => owners.length + collections.length;

function alternativesOf({ owners, collections }: ScopeCondition): Where[] {
  const ofOwner: Where[] = owners.length === 0 ? [] : [{ owner: { $in: [...new Set(owners)] } }];
  if (collections.length === 0) return ofOwner;
  const ids = [...new Set(collections)];
  return [...ofOwner, ...KEYS.map((key): Where => ({ [key]: { $in: ids } })), { [MORE]: true }];
}

// Chroma rejects groups with a single member.
function joined(operator: '$and' | '$or', parts: Where[]): Where {
  const [first] = parts;
  if (first !== undefined && parts.length === 1) return first;
  return operator === '$and' ? { $and: parts } : { $or: parts };
}
