import { randomUUID } from 'node:crypto';
import type { JsonSchema } from '../../src/http/openapi/json-schema.ts';
import type { Random } from '../seeded-random.ts';
import { fromSchema, type SchemaParts } from './from-schema.ts';
import { invalidString, oddNumber, oddValue } from './odd-values.ts';
import type { Kind, RecordIds } from './record-ids.ts';

/** Replaces the parameters of a route pattern, mostly by existing identifiers. */
export function draftPath(route: string, recordIds: RecordIds, random: Random): string {
  let before = '';
  return route
    .split('/')
    .map((part) => {
      const isVariable = part.startsWith(':');
      const value = isVariable ? partOf(part.slice(1), before, recordIds, random) : part;
      if (!isVariable) before = part;
      return value;
    })
    .join('/');
}

const kinds: Readonly<Record<string, Kind>> = {
  messageId: 'messages',
  documentId: 'documents',
  userId: 'users',
  collectionId: 'collections',
  keyId: 'keys',
  version: 'versions',
  other: 'versions',
  model: 'chatModels',
};
const kindsBefore: Readonly<Record<string, Kind>> = {
  documents: 'documents',
  chunks: 'chunks',
  conversations: 'conversations',
  collections: 'collections',
  graphs: 'collections',
  users: 'users',
  entities: 'entities',
  relationships: 'relationships',
  communities: 'communities',
  tasks: 'tasks',
  runs: 'runs',
  prompts: 'prompts',
  name: 'names',
  indices: 'indices',
};

function partOf(name: string, before: string, recordIds: RecordIds, random: Random): string {
  const kind = kinds[name] ?? kindsBefore[before];
  const share = random.next();
  if (kind !== undefined && share < 0.72) return encoded(recordIds.pick(kind, random), random);
  if (share < 0.8) return encoded(recordIds.pickAny(random), random);
  if (share < 0.84) return randomUUID().toUpperCase();
  return oddPart(random);
}

/** Invalid percent-encoding, invalid UTF-8, forbidden characters, and overlong text. */
function oddPart(random: Random): string {
  switch (random.integer(0, 7)) {
    case 0:
      return random.pick([
        '%',
        '%2',
        '%zz',
        '%c3%28',
        '%ff%fe',
        '%00',
        '%2e%2e%2f%2e%2e',
        '%0d%0a',
        '%ed%a0%80',
        '%25',
      ]);
    case 1:
      return random.pick([
        '..',
        '.',
        '',
        '...',
        ';a=b',
        '*',
        '~',
        "'",
        '"',
        '\\',
        '|',
        '{id}',
        ':id',
        '[object Object]',
      ]);
    case 2:
      return Buffer.from(invalidString(random).slice(0, 40))
        .toString('latin1')
        .replace(/[^\x21-\xff]|[/?#]/g, '!');
    case 3:
      return 'a'.repeat(random.pick([255, 4_000, 9_000]));
    case 4:
      return `${randomUUID()}${random.pick(['\u00e9', '%00', ' ', '}', '0'])}`.replace(' ', '%20');
    case 5:
      return String(oddNumber(random));
    default:
      return encodeURIComponent(invalidString(random).toWellFormed().slice(0, 500));
  }
}

const encoded = (text: string, random: Random): string =>
  random.chance(0.02) ? text.replace(/[^\x21-\xff]/g, '!') : encodeURIComponent(text.toWellFormed());

/** A query string including its question mark; sometimes empty. */
export function draftQuery(parameters: readonly Parameter[], parts: SchemaParts): string {
  const { random } = parts;
  if (random.chance(parameters.length === 0 ? 0.8 : 0.2)) return '';
  const pairs = parameters
    .filter(({ required }) => required || random.chance(0.5))
    .flatMap(({ name, schema }) =>
      [fromSchema(schema, parts, name)]
        .flat()
        .map((value) => pair(name, random.chance(0.3) ? oddOf(name, random) : value)),
    );
  if (random.chance(0.2)) pairs.push(...pairs.slice(0, 2));
  if (random.chance(0.15))
    pairs.push(
      random.pick([
        '&&',
        '=',
        '=x',
        'a[b][c]=1',
        'limit[]=5',
        'limit',
        '%',
        '%zz=%',
        '__proto__=1',
        '__proto__[x]=1',
        'ids=%00',
        'offset=1;limit=2',
      ]),
    );
  if (random.chance(0.02)) pairs.push(...Array.from({ length: 1_500 }, () => 'ids=a'));
  return `?${pairs.join('&')}`;
}

export interface Parameter {
  readonly name: string;
  readonly required?: boolean;
  readonly schema: JsonSchema;
}

function oddOf(name: string, random: Random): unknown {
  if (name === 'limit' || name === 'offset' || random.chance(0.3)) return oddNumber(random);
  return random.chance(0.8) ? invalidString(random).slice(0, 3_000) : oddValue(random, 4);
}

function pair(name: string, value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return `${encodeURIComponent(name)}=${encodeURIComponent(text.toWellFormed()).slice(0, 6_000)}`;
}
