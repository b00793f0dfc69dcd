import { z } from 'zod';
import type { ModelRegistry } from '../../models/model.ts';
import type { ModelChoices, OfferedEmbedder, OfferedModel } from '../../models/model-choices.ts';

const foundModel = z
  .object({
    name: z.string(),
    server: z.enum(['ollama', 'lmstudio', 'llamacpp', 'vllm']),
    address: z.string(),
    context_tokens: z.int().nullable().describe('As the server says, or has the model loaded with.'),
    tools: z.boolean().nullable().describe('Whether it calls tools, as far as known.'),
    tools_tried: z.boolean().describe('A request with a tool showed it; else the server says so.'),
    is_usable: z.boolean().describe('Requests can name it now.'),
    settings: z.array(z.string()).describe('Variables that make it answer by default.'),
  })
  .meta({ id: 'FoundModel' }) satisfies z.ZodType<{ [Name in keyof ReturnType<typeof toFoundModel>]: unknown }>;

const foundEmbedder = z
  .object({
    name: z.string(),
    server: z.enum(['ollama', 'lmstudio', 'llamacpp', 'vllm']),
    address: z.string(),
    context_tokens: z.int().nullable().describe('The longest text that it reads, as the server says.'),
    settings: z.array(z.string()).describe('Variables that make a corpus use it.'),
  })
  .meta({ id: 'FoundEmbedder' }) satisfies z.ZodType<{ [Name in keyof ReturnType<typeof toFoundEmbedder>]: unknown }>;

export const modelChoicesRecord = z
  .object({
    in_use: z.object({ quality: z.string(), fast: z.string(), reasoning: z.string() }),
    providers: z.array(z.object({ name: z.string(), label: z.string(), address: z.string(), has_key: z.boolean() })),
    looks_for_models: z.boolean().describe('False with `CITEWELL_LOCAL_MODELS=off`.'),
    found: z.array(foundModel),
    embedders: z.array(foundEmbedder).describe('Embedding models found on this machine.'),
  })
  .meta({ id: 'ModelChoices' });

export const toFoundModel = ({ name, server, contextTokens, hasTools, isTried, isUsable, settings }: OfferedModel) => ({
  name,
  server: server.name,
  address: server.address,
  context_tokens: contextTokens ?? null,
  tools: hasTools ?? null,
  tools_tried: isTried ?? false,
  is_usable: isUsable,
  settings,
});

const toFoundEmbedder = ({ name, server, contextTokens, settings }: OfferedEmbedder) => ({
  name,
  server: server.name,
  address: server.address,
  context_tokens: contextTokens ?? null,
  settings,
});

export const toModelChoices = (
  { providers, looksForModels, found, embedders }: ModelChoices,
  models: Pick<ModelRegistry, 'defaultName'>,
) => ({
  in_use: {
    quality: models.defaultName('quality'),
    fast: models.defaultName('fast'),
    reasoning: models.defaultName('reasoning'),
  },
  providers: providers.map(({ name, label, address, hasKey }) => ({ name, label, address, has_key: hasKey })),
  looks_for_models: looksForModels,
  found: found.map(toFoundModel),
  embedders: embedders.map(toFoundEmbedder),
});
