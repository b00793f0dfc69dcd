import { z } from 'zod';
import { oneLine } from '../../shared/text.ts';

const MAX_NAME = 200;
const MAX_DESCRIPTION = 600;

const line = (longest: number) => z.string().transform((text) => oneLine(text).slice(0, longest).toWellFormed());
const name = line(MAX_NAME).pipe(z.string().min(1));

const entitySchema = z.object({
  name,
  as_written: line(MAX_NAME).catch(''),
  category: line(40)
    .transform((category) => category.toLowerCase())
    .catch(''),
  description: line(MAX_DESCRIPTION).catch(''),
});

const relationshipSchema = z.object({
  subject: name,
  // A predicate has one or a few words, which also limits prompt injection.
  predicate: line(80)
    .transform((text) =>
      text
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, '_')
        .replace(/^_+|_+$/g, ''),
    )
    .pipe(z.string().min(1).max(60)),
  object: name,
  description: line(MAX_DESCRIPTION).catch(''),
  weight: z.coerce.number().min(0.1).max(10).catch(1),
  passage: z.coerce.number().int().catch(0),
  quote: line(1_000).catch(''),
});

export type ReplyEntity = z.output<typeof entitySchema>;
export type ReplyRelationship = z.output<typeof relationshipSchema>;

export interface ExtractionReply {
  readonly entities: readonly ReplyEntity[];
  readonly relationships: readonly ReplyRelationship[];
}

/**
 * Parses a model's reply, with or without code fences and text around it. Invalid items are left out; of a truncated
 * reply the complete items are used. Undefined when there is nothing to parse.
 */
export function readReply(text: string): ExtractionReply | undefined {
  const whole = parse(text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1));
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

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
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
      const item = parse(text.slice(open, at + 1));
      if (item !== undefined) found.push(item);
      open = -1;
    }
  }
  return found;
}
