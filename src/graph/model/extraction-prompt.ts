import type { Json } from '../../documents/document.ts';
import type { Message } from '../../models/message.ts';
import { builtInPrompts, type PromptTexts } from '../../prompts/prompt-texts.ts';
import { stripInvisible } from '../../shared/strip-invisible.ts';
import type { GraphChunk } from '../graph.ts';

/** What to extract; unrestricted by default. */
export interface ExtractionOptions {
  /** Restricts entities to these categories. */
  readonly entityTypes?: readonly string[] | undefined;
  /** Restricts relationships to these predicates. */
  readonly relationTypes?: readonly string[] | undefined;
  /** Maximum per call; default 100. */
  readonly maxRelationships?: number | undefined;
  /** Prompt texts; default: the built-in ones. */
  readonly prompts?: PromptTexts | undefined;
}

export const DEFAULT_MAX_RELATIONSHIPS = 100;

/** The instructions, and the chunks as JSON strings, so that a text cannot break out of the data. */
export function extractionMessages(
  title: string,
  chunks: readonly Pick<GraphChunk, 'text' | 'headingPath'>[],
  options: ExtractionOptions,
): Message[] {
  const data = {
    document: stripInvisible(title),
    passages: chunks.map(({ text, headingPath }, place) => ({
      number: place + 1,
      heading: stripInvisible(headingPath.join(' > ')),
      text: stripInvisible(text),
    })),
  };
  return [
    { role: 'system', text: instructions(options) },
    { role: 'user', text: JSON.stringify(data) },
  ];
}

function instructions({
  entityTypes,
  relationTypes,
  maxRelationships,
  prompts = builtInPrompts,
}: ExtractionOptions): string {
  return prompts.fill('graph_extraction', {
    entity_types: entityTypes?.length ? ` Give only entities of these categories: ${entityTypes.join(', ')}.` : '',
    relation_types: relationTypes?.length ? ` Use only these predicates: ${relationTypes.join(', ')}.` : '',
    max_knowledge_relationships: String(maxRelationships ?? DEFAULT_MAX_RELATIONSHIPS),
  });
}

const object = (properties: { readonly [key: string]: Json }): { readonly [key: string]: Json } => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
});
const text: Json = { type: 'string' };

/** Response format for providers with structured output; others ignore it, and replies are parsed leniently. */
export const extractionFormat: { readonly [key: string]: Json } = {
  type: 'json_schema',
  json_schema: {
    name: 'knowledge_graph',
    strict: true,
    schema: object({
      entities: { type: 'array', items: object({ name: text, as_written: text, category: text, description: text }) },
      relationships: {
        type: 'array',
        items: object({
          subject: text,
          predicate: text,
          object: text,
          description: text,
          weight: { type: 'number' },
          passage: { type: 'integer' },
          quote: text,
        }),
      },
    }),
  },
};
