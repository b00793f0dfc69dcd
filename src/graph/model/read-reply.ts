import { z } from 'zod';
import { isObject } from '../../shared/objects.ts';
import { jsonOrUndefined, oneLine } from '../../shared/text.ts';

const MAX_NAME_LENGTH = 200;
const MAX_DESCRIPTION_LENGTH = 600;

const singleLine = (longest: number) => z.string().transform((text) => oneLine(text).slice(0, longest).toWellFormed());
const name = singleLine(MAX_NAME_LENGTH).pipe(z.string().min(1));

const entitySchema = z.object({
  name,
  as_written: singleLine(MAX_NAME_LENGTH).catch(''),
  category: singleLine(40)
    .transform((category) => category.toLowerCase())
    .catch(''),
  description: singleLine(MAX_DESCRIPTION_LENGTH).catch(''),
});

const relationshipSchema = z.object({
  subject: name,
  // Predicates are limited to a few words, which also limits prompt injection.
  predicate: singleLine(80)
    .transform((text) =>
      text
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, '_')
        .replace(/^_+|_+$/g, ''),
    )
    .pipe(z.string().min(1).max(60)),
  object: name,
  description: singleLine(MAX_DESCRIPTION_LENGTH).catch(''),
  weight: z.coerce.number().min(0.1).max(10).catch(1),
  passage: z.coerce.number().int().catch(0),
  quote: singleLine(1_000).catch(''),
});

export type ReplyEntity = z.output<typeof entitySchema>;
export type ReplyRelationship = z.output<typeof relationshipSchema>;

export interface ExtractionReply {
  readonly entities: readonly ReplyEntity[];
  readonly relationships: readonly ReplyRelationship[];
}

/**
 * Parses a model's reply, with or without code fences and surrounding text. Invalid items are dropped; of a truncated
 * reply, the complete items are used. Undefined if nothing can be parsed.
 */
export function readReply(text: string): ExtractionReply | undefined {
  const whole = jsonOrUndefined(text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1));
  if (isObject(whole) && (Array.isArray(whole['entities']) || Array.isArray(whole['relationships']))) {
    return readItems(listOf(whole['entities']), listOf(whole['relationships'] ?? whole['relations']));
  }
  const items = innerObjects(text);
  const reply = readItems(items, items);
  return reply.entities.length > 0 ? reply : undefined;
}

function readItems(entities: readonly unknown[], relationships: readonly unknown[]): ExtractionReply {
  return {
    entities: entities.flatMap((item) => entitySchema.safeParse(item).data ?? []),
    relationships: relationships.flatMap((item) => relationshipSchema.safeParse(item).data ?? []),
  };
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** The innermost JSON objects, found in one pass. */
function innerObjects(text: string): unknown[] {
  const found: unknown[] = [];
  let open = -1;
  let isString = false;
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at);
    if (isString) {
      if (character === '\\') at++;
      else if (character === '"') isString = false;
    } else if (character === '"') isString = true;
    else if (character === '{') open = at;
    else if (character === '}' && open >= 0) {
      const item = jsonOrUndefined(text.slice(open, at + 1));
      if (item !== undefined) found.push(item);
      open = -1;
    }
  }
  return found;
}
