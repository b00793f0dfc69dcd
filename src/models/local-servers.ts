import { z } from 'zod';

/** A model server on this machine. */
export interface LocalServer {
  /** Prefix of its models' names. */
  readonly name: 'ollama' | 'lmstudio' | 'llamacpp' | 'vllm';
  /** Without path, e.g. `http://127.0.0.1:11434`. */
  readonly address: string;
}

/** A language model that such a server offers. */
export interface FoundModel {
  /** Provider-qualified. */
  readonly name: string;
  readonly server: LocalServer;
  /** Context length, tool support and number of parameters, as far as the server reports them. */
  readonly contextTokens?: number;
  readonly hasTools?: boolean;
  readonly parameters?: number;
  /** True if a request with a tool confirmed `hasTools`; otherwise it is only the server's claim. */
  readonly isTried?: boolean;
  /** Digest of the model file. */
  readonly digest?: string;
}

/** An embedding model that such a server offers; `contextTokens` is the longest text that it reads. */
export type FoundEmbedder = Pick<FoundModel, 'name' | 'server' | 'contextTokens'>;

interface LocalModels {
  readonly language: readonly FoundModel[];
  readonly embedding: readonly FoundEmbedder[];
}

export const serverLabels: Readonly<Record<LocalServer['name'], string>> = {
  ollama: 'Ollama',
  lmstudio: 'LM Studio',
  llamacpp: 'llama.cpp',
  vllm: 'vLLM',
};

/** Default addresses of these servers. */
export const usualServers: readonly LocalServer[] = [
  { name: 'ollama', address: 'http://127.0.0.1:11434' },
  { name: 'lmstudio', address: 'http://127.0.0.1:1234' },
  { name: 'llamacpp', address: 'http://127.0.0.1:8080' },
  { name: 'vllm', address: 'http://127.0.0.1:8000' },
];

/** Whether the address is one of this machine; no other is ever contacted to look for models. */
export const isLoopbackAddress = (address: string): boolean =>
  /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(URL.parse(address)?.hostname ?? '');

const TIMEOUT_MS = 1_500;
/** Maximum number of models whose details are requested. */
const MAX_MODELS = 50;
const MAX_ANSWER_BYTES = 8_000_000;
/** Names are shown in terminals and commands to copy, so those with spaces, control or shell characters are skipped. */
const SAFE_NAME = /^[\p{L}\p{N}_.:/\\@+~-]{1,300}$/u;

/** The models of these servers, in the order of the servers. Skips servers that do not respond as expected. */
export async function findLocalModels(servers: readonly LocalServer[]): Promise<LocalModels> {
  const listed = await Promise.all(
    servers.filter(({ address }) => isLoopbackAddress(address)).map((server) => modelsOf(server).catch(() => [])),
  );
  const found = listed.flat().filter(({ model }) => SAFE_NAME.test(model.name));
  const ofKind = (kind: Kind) => found.flatMap((each) => (each.kind === kind ? [each.model] : []));
  return { language: ofKind('language'), embedding: ofKind('embedding') };
}

type Kind = 'language' | 'embedding';

interface ListedModel {
  readonly model: FoundModel;
  /** Undefined for models of other kinds, such as rerankers. */
  readonly kind: Kind | undefined;
}

/** Parts of the names of the usual embedding models. Servers do not always report, or know, what a model is for. */
const EMBEDDING_NAME = /embed|minilm|paraphrase|(?:^|[-_/\\])(?:bge|e5|gte|labse)(?:[-_.:]|$)/i;
const RERANKER_NAME = /rerank|ms-marco/i;

function kindOf(name: string, reported: Kind | 'other' | undefined): Kind | undefined {
  if (reported === 'other' || RERANKER_NAME.test(name)) return undefined;
  return reported === 'embedding' || EMBEDDING_NAME.test(name) ? 'embedding' : 'language';
}

/** Models in order of preference for automatic selection: by tool support, then size, then context length. */
export function rankModels(found: readonly FoundModel[]): readonly FoundModel[] {
  const tools = ({ hasTools }: FoundModel) => (hasTools === true ? 2 : hasTools === undefined ? 1 : 0);
  return found.toSorted(
    (one, other) =>
      tools(other) - tools(one) ||
      (other.parameters ?? 0) - (one.parameters ?? 0) ||
      (other.contextTokens ?? 0) - (one.contextTokens ?? 0) ||
      one.name.localeCompare(other.name),
  );
}

export const bestModel = (found: readonly FoundModel[]): FoundModel | undefined => rankModels(found)[0];

/** A model with its server and abilities, for people. */
export function describeFound({ hasTools, isTried = false, ...model }: FoundModel): string {
  const facts = [...factsOf(model)];
  if (hasTools === false) facts.push('calls no tools');
  if (hasTools === true) facts.push(isTried ? 'calls tools' : 'said to call tools');
  return `${model.name} (${facts.join(', ')})`;
}

export const describeEmbedder = (embedder: FoundEmbedder): string =>
  `${embedder.name} (${factsOf(embedder).join(', ')})`;

const factsOf = ({ server, contextTokens }: FoundEmbedder): readonly string[] => [
  `${serverLabels[server.name]} at ${server.address}`,
  ...(contextTokens === undefined ? [] : [`${contextTokens.toLocaleString('en')} tokens of context`]),
];

function modelsOf(server: LocalServer): Promise<readonly ListedModel[]> {
  switch (server.name) {
    case 'ollama':
      return modelsOfOllama(server);
    case 'lmstudio':
      return modelsOfLmStudio(server);
    case 'llamacpp':
      return modelsOfLlamaCpp(server);
    case 'vllm':
      return modelsOfVllm(server);
  }
}

const ollamaTags = z.object({
  models: z.array(
    z.object({
      name: z.string(),
      digest: z.string().optional(),
      details: z.object({ parameter_size: z.string().optional(), family: z.string().optional() }).optional(),
    }),
  ),
});
const ollamaLoaded = z.object({
  models: z.array(z.object({ name: z.string(), context_length: z.number().positive().optional() })),
});
const ollamaModel = z.object({
  capabilities: z.array(z.string()).optional(),
  model_info: z.record(z.string(), z.unknown()).optional(),
  parameters: z.string().optional(),
});

async function modelsOfOllama(server: LocalServer): Promise<readonly ListedModel[]> {
  const { models } = ollamaTags.parse(await ask(server, '/api/tags'));
  const { models: loaded } = await ask(server, '/api/ps').then(ollamaLoaded.parse, () => ({ models: [] }));
  return Promise.all(
    models.slice(0, MAX_MODELS).map(async ({ name, details, digest }) => {
      const shown = await ask(server, '/api/show', { model: name }).then(
        ollamaModel.parse,
        () => ({}) as z.infer<typeof ollamaModel>,
      );
      const { capabilities, model_info: info = {}, parameters = '' } = shown;
      // The context length it is loaded with, else the configured one, else the maximum the model was trained for.
      const [, set] = /^num_ctx\s+(\d+)/m.exec(parameters) ?? [];
      const [, trained] = Object.entries(info).find(([key]) => key.endsWith('.context_length')) ?? [];
      return describe(server, name, {
        kind: kindInOllama(capabilities, details?.family),
        contextTokens:
          loaded.find((model) => model.name === name)?.context_length ?? (set === undefined ? trained : Number(set)),
        hasTools: capabilities?.includes('tools'),
        parameters: readSize(details?.parameter_size),
        digest,
      });
    }),
  );
}

/** Versions before 0.6.4 report no capabilities; BERT and its relatives only embed. */
function kindInOllama(capabilities: readonly string[] | undefined, family = ''): Facts['kind'] {
  if (capabilities === undefined) return /bert/i.test(family) ? 'embedding' : undefined;
  if (capabilities.includes('embedding')) return 'embedding';
  return capabilities.includes('completion') ? 'language' : 'other';
}

const lmStudioModels = z.object({
  data: z.array(
    z.object({
      id: z.string(),
      type: z.string().optional(),
      max_context_length: z.number().optional(),
      loaded_context_length: z.number().optional(),
      capabilities: z.array(z.string()).optional(),
    }),
  ),
});

async function modelsOfLmStudio(server: LocalServer): Promise<readonly ListedModel[]> {
  // Only LM Studio's own API reports types and context lengths; older versions have just the OpenAI-compatible one.
  const { data } = lmStudioModels.parse(await ask(server, '/api/v0/models').catch(() => ask(server, '/v1/models')));
  return data.map(({ id, type, max_context_length: most, loaded_context_length: loaded, capabilities }) =>
    describe(server, id, {
      kind: type?.startsWith('embedding') ? 'embedding' : undefined,
      contextTokens: loaded ?? most,
      hasTools: capabilities?.includes('tool_use'),
    }),
  );
}

const llamaCppModels = z.object({
  data: z.array(
    z.object({
      id: z.string(),
      owned_by: z.literal('llamacpp'),
      meta: z.object({ n_params: z.number().optional() }).nullish(),
    }),
  ),
});
const llamaCppProps = z.object({
  default_generation_settings: z.object({ n_ctx: z.number().optional() }).optional(),
  chat_template_caps: z.object({ supports_tools: z.boolean().optional() }).optional(),
});

async function modelsOfLlamaCpp(server: LocalServer): Promise<readonly ListedModel[]> {
  const { data } = llamaCppModels.parse(await ask(server, '/v1/models'));
  const props = await ask(server, '/props').then(llamaCppProps.parse, () => undefined);
  return data.map(({ id, meta }) =>
    describe(server, id, {
      contextTokens: props?.default_generation_settings?.n_ctx,
      hasTools: props?.chat_template_caps?.supports_tools,
      parameters: meta?.n_params,
    }),
  );
}

const vllmModels = z.object({
  data: z.array(z.object({ id: z.string(), owned_by: z.literal('vllm'), max_model_len: z.number().nullish() })),
});

async function modelsOfVllm(server: LocalServer): Promise<readonly ListedModel[]> {
  const { data } = vllmModels.parse(await ask(server, '/v1/models'));
  return data.map(({ id, max_model_len: length }) => describe(server, id, { contextTokens: length }));
}

interface Facts {
  /** As the server reports it. */
  readonly kind?: Kind | 'other' | undefined;
  readonly contextTokens?: unknown;
  readonly hasTools?: boolean | undefined;
  readonly parameters?: number | undefined;
  readonly digest?: string | undefined;
}

const describe = (
  server: LocalServer,
  name: string,
  { kind, contextTokens, hasTools, parameters, digest }: Facts,
): ListedModel => ({
  kind: kindOf(name, kind),
  model: {
    name: `${server.name}/${name}`,
    server,
    ...(typeof contextTokens === 'number' && contextTokens > 0 && { contextTokens }),
    ...(hasTools !== undefined && { hasTools }),
    ...(parameters !== undefined && { parameters }),
    ...(digest !== undefined && { digest }),
  },
});

/** `8.2B` and `137M` as numbers. */
function readSize(text = ''): number | undefined {
  const [, number, unit] = /^(\d+(?:\.\d+)?)\s*([MB])$/i.exec(text) ?? [];
  return number === undefined ? undefined : Math.round(Number(number) * (unit?.toUpperCase() === 'B' ? 1e9 : 1e6));
}

/** Redirects are not followed, since they could lead off this machine. */
async function ask({ address }: LocalServer, path: string, body?: object): Promise<unknown> {
  const response = await fetch(new URL(path, address), {
    redirect: 'error',
    signal: AbortSignal.timeout(TIMEOUT_MS),
    ...(body && { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  });
  if (!response.ok) throw new Error(`${path} answered ${response.status}.`);
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > MAX_ANSWER_BYTES) throw new Error(`${path} answered more than ${MAX_ANSWER_BYTES} bytes.`);
    chunks.push(chunk);
  }
  return JSON.parse(Buffer.concat(chunks).toString());
}
