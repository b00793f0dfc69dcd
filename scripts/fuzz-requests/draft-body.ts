import type { JsonSchema } from '../../src/http/openapi/json-schema.ts';
import { draftForm } from './draft-form.ts';
import { fromSchema, type SchemaParts } from './from-schema.ts';
import { breakBytes, compressed, mutate } from './mutate.ts';
import { invalidString, oddValue } from './odd-values.ts';

export interface DraftedBody {
  readonly bytes: Buffer | undefined;
  readonly headers: Readonly<Record<string, string>>;
}

/** Body schemas of the OpenAPI document by media type. */
export type BodySchemas = Readonly<Record<string, BodySchema>>;

interface BodySchema {
  readonly schema?: JsonSchema;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}

const TYPES: readonly [string, ...string[]] = [
  'application/json',
  'application/json; charset=utf-16',
  'text/plain',
  'text/html',
  'application/x-www-form-urlencoded',
  'multipart/form-data',
  'multipart/form-data; boundary=',
  'application/octet-stream',
  'application/xml',
  'not a type',
  '',
];

/** A body that mostly matches the schema, or is mutated, corrupted, or of a type that the route does not expect. */
export function draftBody(schemas: BodySchemas | undefined, method: string, parts: SchemaParts): DraftedBody {
  const { random } = parts;
  if (schemas === undefined && (method === 'GET' || random.chance(0.5))) return { bytes: undefined, headers: {} };
  if (random.chance(0.03)) return { bytes: undefined, headers: {} };
  const [type, { schema = {}, examples = {} }] = random.pick(entriesOf(schemas));
  const [example, ...others] = Object.values(examples);
  // Bodies generated from schemas alone seldom satisfy rules between fields.
  const isExample = example !== undefined && random.chance(0.4);
  const fitting = isExample ? random.pick([example, ...others]).value : fromSchema(schema, parts);
  const drafted = draft(type, random.chance(0.5) ? mutate(fitting, random) : fitting, parts);
  const bytes = random.chance(0.12) ? breakBytes(drafted.bytes ?? Buffer.alloc(0), random) : drafted.bytes;
  const headers = random.chance(0.08) ? { 'content-type': random.pick(TYPES) } : drafted.headers;
  if (bytes === undefined || !random.chance(0.04)) return { bytes, headers };
  const encoding = random.pick(['gzip', 'gzip', 'deflate', 'br', 'identity', 'nonsense', 'gzip, gzip']);
  return { bytes: compressed(bytes, random), headers: { ...headers, 'content-encoding': encoding } };
}

function entriesOf(schemas: BodySchemas | undefined): readonly [[string, BodySchema], ...[string, BodySchema][]] {
  const [first, ...others] = Object.entries(schemas ?? {});
  return first === undefined ? [['application/json', {}]] : [first, ...others];
}

function draft(type: string, value: unknown, parts: SchemaParts): DraftedBody {
  const { random } = parts;
  switch (type) {
    case 'application/json':
      return {
        bytes: Buffer.from(toJson(random.chance(0.03) ? oddValue(random) : value, parts)),
        headers: { 'content-type': type },
      };
    case 'multipart/form-data':
      return draftForm(value, parts);
    case 'application/x-www-form-urlencoded': {
      const pairs = typeof value === 'object' && value !== null ? Object.entries(value) : [['value', value] as const];
      const text = pairs.map(([name, each]) => `${encode(name)}=${encode(textOf(each))}`).join('&');
      return { bytes: Buffer.from(text), headers: { 'content-type': type } };
    }
    default:
      return { bytes: Buffer.from(invalidString(random)), headers: { 'content-type': type } };
  }
}

/** Serialises the value, occasionally with duplicate keys, unusual numbers or excessive length. */
function toJson(value: unknown, { random }: SchemaParts): string {
  const json = JSON.stringify(value) ?? 'null';
  if (random.chance(0.03)) return json.replace(/^\{/, '{"query":1,"filters":{},"id":1e999,');
  if (random.chance(0.01)) return json.replace(/:\s*\d+/, `:${'1'.repeat(5_000)}`);
  // Bodies just below and above the size limit, padded with white space so that nothing large is stored.
  if (random.chance(0.002)) return `${json}${' '.repeat(random.pick([15_900_000, 17_000_000]))}`;
  return json;
}

const encode = (text: string): string => encodeURIComponent(text.toWellFormed());
const textOf = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));
