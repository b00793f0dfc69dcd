import type { Json } from '../../documents/document.ts';
import type { Message } from '../../models/message.ts';
import { builtInPrompts, type PromptTexts } from '../../prompts/prompt-texts.ts';
import type { GraphPassage } from '../graph.ts';

/** What to look for; nothing said means anything. */
export interface ExtractionWishes {
  /** Only entities of these categories. */
  readonly entityTypes?: readonly string[] | undefined;
  /** Only relationships with these predicates. */
  readonly relationTypes?: readonly string[] | undefined;
  /** Of one call; default 100. */
  readonly maxRelationships?: number | undefined;
  /** The words a model is asked with; as the program brings them when absent. */
  readonly prompts?: PromptTexts | undefined;
}

export const DEFAULT_MAX_RELATIONSHIPS = 100;

/** The instructions, and the passages as JSON strings: a text cannot close its string, so it cannot end the data. */
export function extractionMessages(
  title: string,
  passages: readonly Pick<GraphPassage, 'text' | 'headingPath'>[],
  wishes: ExtractionWishes,
): Message[] {
  const data = {
    document: visible(title),
    passages: passages.map(({ text, headingPath }, place) => ({
      number: place + 1,
      heading: visible(headingPath.join(' > ')),
      text: visible(text),
    })),
  };
  return [
    { role: 'system', text: instructions(wishes) },
    { role: 'user', text: JSON.stringify(data) },
  ];
}

function instructions({
  entityTypes,
  relationTypes,
  maxRelationships,
  prompts = builtInPrompts,
}: ExtractionWishes): string {
  return prompts.fill('graph_extraction', {
    entity_types: entityTypes?.length ? ` Give only entities of these categories: ${entityTypes.join(', ')}.` : '',
    relation_types: relationTypes?.length ? ` Use only these predicates: ${relationTypes.join(', ')}.` : '',
    max_knowledge_relationships: String(maxRelationships ?? DEFAULT_MAX_RELATIONSHIPS),
  });
}

// Characters that a person reading the passage does not see can spell what nobody reads.
const visible = (text: string): string =>
  text.replaceAll(/[\u200B\u200E\u200F\u202A-\u202E\u2060-\u2064\u2066-\u206F\uFEFF]|[\u{E0000}-\u{E007F}]/gu, '');

const object = (properties: { readonly [key: string]: Json }): { readonly [key: string]: Json } => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
});
const text: Json = { type: 'string' };

/** For providers that hold a model to a schema; others ignore it, and the reply is read tolerantly anyway. */
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
