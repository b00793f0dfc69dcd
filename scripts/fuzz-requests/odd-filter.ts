import type { Random } from '../seeded-random.ts';
import { invalidString, oddNumber, oddValue } from './odd-values.ts';

const fields: readonly [string, ...string[]] = [
  'document_id',
  'id',
  'owner_id',
  'collection_ids',
  'title',
  'document_type',
  'created_at',
  'updated_at',
  'text',
  'chunk_order',
  'page_number',
  'metadata.year',
  'metadata.tags',
  'metadata.a.b.c',
  'metadata.',
  'metadata',
  'year',
  "metadata.it's",
  'metadata."quoted"',
  'metadata.$[0]',
  'metadata.[#-1]',
  'metadata.\0',
  '__proto__',
  'constructor',
  'rowid',
  'ingestion_status',
  '$eq',
  '',
  "x' or 1=1 --",
];
const operators: readonly [string, ...string[]] = [
  '$eq',
  '$ne',
  '$neq',
  '$gt',
  '$gte',
  '$lt',
  '$lte',
  '$in',
  '$nin',
  '$like',
  '$ilike',
  '$overlap',
  '$contains',
  '$json_contains',
  '$array_contains',
  '$regex',
  '$where',
  '',
];

/** A mostly valid filter expression with odd fields and operands, and occasionally something else. */
export function oddFilter(random: Random, depth = 0): unknown {
  if (random.chance(0.05)) return oddValue(random);
  const conditions = random.pick([0, 1, 1, 1, 2]);
  const entries = Array.from({ length: conditions }, (): [string, unknown] => {
    if (depth < 3 && random.chance(0.2)) {
      const parts = Array.from({ length: random.pick([0, 1, 2, 3]) }, () => oddFilter(random, depth + 1));
      return [random.pick(['$and', '$or', '$not']), random.chance(0.9) ? parts : oddValue(random)];
    }
    const field = random.chance(0.05) ? invalidString(random) : random.pick(fields);
    if (random.chance(0.15)) return [field, operand(random)];
    const operator = random.pick(operators);
    const several = random.chance(0.05) ? { $gt: oddNumber(random) } : {};
    return [field, { [operator]: operand(random), ...several }];
  });
  return Object.fromEntries(entries);
}

function operand(random: Random): unknown {
  switch (random.integer(0, 5)) {
    case 0:
      return oddNumber(random);
    case 1:
      return invalidString(random);
    case 2:
      return Array.from({ length: random.pick([0, 1, 3, 40]) }, () =>
        random.chance(0.5) ? invalidString(random) : oddNumber(random),
      );
    case 3:
      return random.pick([null, true, false]);
    case 4:
      return random.pick(['2024', 'pdf', 'txt', '2020-01-01T00:00:00Z', '6b9f1f3e-0000-4000-8000-000000000000']);
    default:
      return oddValue(random);
  }
}
