import { z } from 'zod';
import { ServiceError } from '../../errors.ts';

export const chatModel = z
  .object({
    id: z.string(),
    object: z.literal('model'),
    created: z.int(),
    owned_by: z.string(),
    type: z.literal('embeddings').exactOptional().describe('A model for `/v1/embeddings`, which does not chat.'),
    setting: z.string().exactOptional().describe('For a model found on this machine: what makes it answer by default.'),
  })
  .meta({ id: 'ChatModel' });

export const chatModels = z.object({ object: z.literal('list'), data: z.array(chatModel) });

/** What answers a chat: one search and one generation, or the agent in one of its modes. */
export type ChatKind = 'rag' | 'agent' | 'research';

export interface ChatModel {
  readonly kind: ChatKind;
  /** `<provider>/<name>`; undefined means the configured one. */
  readonly languageModel: string | undefined;
  /** The model name as sent by the caller. */
  readonly name: string;
}

const kinds: readonly ChatKind[] = ['rag', 'agent', 'research'];

/** The offered model names; `citewell` is short for `citewell/agent`. */
export const chatModelNames = ['citewell', 'citewell/rag', 'citewell/agent', 'citewell/research'] as const;

/**
 * Parses `citewell/<kind>`, optionally with a language model after a colon as in `citewell/rag:openai/gpt-4.1`; a bare
 * language model means the agent with it. Throws `unknown_model`.
 */
export function readChatModel(name: string): ChatModel {
  if (!/^citewell(?:[/:]|$)/.test(name)) {
    if (/^[^/\s]+\/\S+$/.test(name)) return { kind: 'agent', languageModel: name, name };
    throw unknown(name);
  }
  const [, kind = 'agent', languageModel] =
    /^citewell(?:\/([a-z]+))?(?::([^/\s]+\/\S+))?$/.exec(name) ?? unmatched(name);
  const found = kinds.find((each) => each === kind);
  if (found === undefined) throw unknown(name);
  return { kind: found, languageModel, name };
}

function unmatched(name: string): never {
  throw unknown(name);
}

const unknown = (name: string) =>
  new ServiceError(
    'unknown_model',
    `There is no model ${name}. Ask for ${chatModelNames.join(', ')}, or citewell/agent:<provider>/<model>.`,
  );
