import type { Json } from '../documents/document.ts';
import { jsonOrText } from '../shared/text.ts';

export type JsonSchema = { readonly [key: string]: Json };

/** Argument names that models use in place of ours. Applied repeatedly until the tool has a field of that name. */
export const commonAliases: ReadonlyMap<string, string> = new Map([
  ['question', 'query'],
  ['q', 'query'],
  ['user_query', 'query'],
  ['userQuery', 'query'],
  ['search_query', 'query'],
  ['top_k', 'limit'],
  ['k', 'limit'],
  ['n_results', 'limit'],
  ['id', 'document_id'],
  ['file_id', 'document_id'],
  ['doc_id', 'document_id'],
  ['documentId', 'document_id'],
  ['document_id', 'document_ids'],
  ['documents', 'document_ids'],
  ['collection', 'collections'],
  ['collection_id', 'collections'],
  ['collection_ids', 'collections'],
  ['filter', 'filters'],
  ['max_results', 'limit'],
  ['num_results', 'limit'],
  ['chunkId', 'chunk_id'],
  ['chunk_id', 'around_chunk_id'],
  ['url', 'urls'],
  ['uri', 'url'],
  ['file', 'path'],
  ['file_path', 'path'],
  ['folder', 'path'],
]);

/**
 * Coerces arguments written by a model to the tool's schema: parses an object given as a JSON string, renames aliases,
 * parses strings where the schema expects a number, boolean, array or object, and wraps a single value where a list is
 * expected. Values that fit are never changed; everything else is left to validation.
 */
export function readArguments(
  given: unknown,
  schema: JsonSchema,
  aliases: ReadonlyMap<string, string> = new Map(),
): unknown {
  const whole = typeof given === 'string' ? parsed(given) : given;
  if (whole === undefined || whole === null || whole === '') return {};
  if (typeof whole !== 'object' || Array.isArray(whole)) return whole;
  const properties = (schema['properties'] ?? {}) as Readonly<Record<string, JsonSchema>>;
  const targetOf = (name: string): string => {
    if (Object.hasOwn(properties, name)) return name;
    for (let alias = aliases.get(name); alias !== undefined; alias = aliases.get(alias)) {
      if (Object.hasOwn(properties, alias)) return Object.hasOwn(whole, alias) ? name : alias;
    }
    return name;
  };
  return Object.fromEntries(
    Object.entries(whole).map(([name, value]) => {
      const target = targetOf(name);
      const property = Object.hasOwn(properties, target) ? properties[target] : undefined;
      return [target, property === undefined ? value : unstringified(value, property)];
    }),
  );
}

function unstringified(value: unknown, schema: JsonSchema): unknown {
  const wanted = schema['type'];
  if (wanted === 'array' && typeof value === 'number') return [value];
  if (typeof value !== 'string') return value;
  if (typeof wanted !== 'string' || wanted === 'string') return value;
  const candidate = parsed(value);
  if (hasType(candidate, wanted)) return candidate;
  return wanted === 'array' && value.trim() !== '' && typeof candidate !== 'object' ? [value] : value;
}

function hasType(value: unknown, type: string): boolean {
  switch (type) {
    case 'integer':
      return Number.isInteger(value);
    case 'number':
      return typeof value === 'number';
    case 'boolean':
      return typeof value === 'boolean';
    case 'array':
      return Array.isArray(value);
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value);
    default:
      return false;
  }
}

const parsed = (text: string): unknown => (text.trim() === '' ? undefined : jsonOrText(text));
