import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { Tokenizer } from '@huggingface/tokenizers';
import { errorMessage } from '../shared/error-message.ts';
import type { ModelFolder } from './model-folder.ts';
import type { Pooling } from './pooling.ts';

/** The `workerData` of the thread. */
export interface InferenceSetup {
  readonly model: ModelFolder;
  /** Entry file of ONNX Runtime. */
  readonly runtime: string;
}

export type InferenceRequest = { readonly id: number } & (
  | { readonly kind: 'embed'; readonly texts: readonly string[]; readonly pooling: Pooling }
  | { readonly kind: 'score'; readonly query: string; readonly texts: readonly string[] }
  /** Drops a queued request, or stops a running one after its current text. */
  | { readonly kind: 'cancel' }
);

export type InferenceReply = { readonly id: number } & (
  | { readonly kind: 'done'; readonly rows: readonly Float32Array[] }
  | { readonly kind: 'failed'; readonly reason: string }
  /** The model cannot be loaded; only a new thread can retry. */
  | { readonly kind: 'unusable'; readonly reason: string }
);

/** The used part of ONNX Runtime's API; the package is optional, so its types may be absent. */
interface Runtime {
  readonly InferenceSession: { create(path: string, options: object): Promise<Session> };
  readonly Tensor: new (type: 'int64', data: BigInt64Array, shape: readonly number[]) => object;
}

interface Session {
  readonly inputNames: readonly string[];
  readonly outputNames: readonly string[];
  run(inputs: Readonly<Record<string, object>>): Promise<Readonly<Record<string, Output>>>;
}

interface Output {
  readonly data: Float32Array;
  readonly dims: readonly number[];
}

interface Tokens {
  readonly ids: readonly number[];
  readonly types: readonly number[];
}

// Upper bound: no tokenizer averages more characters per token.
const MAX_CHARACTERS_PER_TOKEN = 16;

const { model, runtime: runtimePath } = workerData as InferenceSetup;
const runtime: Runtime = createRequire(import.meta.url)(runtimePath);
const cancelled = new Set<number>();

/**
 * Runs one text at a time: with int8 weights, activations are scaled over the whole batch, so a vector would depend on
 * the other texts of its batch; and batches of 8 or 16 were no faster.
 */
const session = runtime.InferenceSession.create(model.weights, {
  intraOpNumThreads: availableParallelism(),
  // Spinning threads would take the cores from the database's threads, and from each other.
  extra: { session: { intra_op: { allow_spinning: '0' } } },
  graphOptimizationLevel: 'all',
  logSeverityLevel: 3,
});
const tokenizer = loadTokenizer();
// Failures are reported with the first request.
session.catch(() => {});
tokenizer.catch(() => {});

let queue = Promise.resolve();
parentPort?.on('message', (request: InferenceRequest) => {
  if (request.kind === 'cancel') {
    cancelled.add(request.id);
    return;
  }
  queue = queue.then(async () => parentPort?.postMessage(await answer(request)));
});

async function answer(request: Exclude<InferenceRequest, { kind: 'cancel' }>): Promise<InferenceReply> {
  const { id } = request;
  const rows: Float32Array[] = [];
  try {
    await Promise.all([session, tokenizer]);
  } catch (error) {
    return { id, kind: 'unusable', reason: messageOf(error) };
  }
  try {
    for (const text of request.texts) {
      // Let a cancel message arrive.
      await new Promise((resolve) => setImmediate(resolve));
      if (cancelled.has(id)) return { id, kind: 'failed', reason: 'it was cancelled' };
      if (request.kind === 'embed') rows.push(pool(await run(await encode(text)), request.pooling));
      else rows.push(Float32Array.of(relevance(await run(await encode(request.query, text)))));
    }
    return { id, kind: 'done', rows };
  } catch (error) {
    return { id, kind: 'failed', reason: messageOf(error) };
  } finally {
    cancelled.delete(id);
  }
}

const messageOf = (error: unknown): string => errorMessage(error).replace(/\.$/, '');

async function loadTokenizer(): Promise<Tokenizer> {
  const read = async (name: string) => JSON.parse(await readFile(join(model.path, name), 'utf8'));
  return new Tokenizer(await read('tokenizer.json'), await read('tokenizer_config.json').catch(() => ({})));
}

/** Tokenizes and truncates to the model's length, keeping the end mark. In a pair, the passage is cut at its end. */
async function encode(text: string, passage?: string): Promise<Tokens> {
  const { maxTokens } = model;
  const cut = (whole: string, tokens: number) => whole.slice(0, tokens * MAX_CHARACTERS_PER_TOKEN);
  const first = cut(text, passage === undefined ? maxTokens : maxTokens / 4);
  const { ids, token_type_ids: types } = (await tokenizer).encode(first, {
    text_pair: passage === undefined ? null : cut(passage, maxTokens),
    return_token_type_ids: true,
  });
  const keepEnd = (all: readonly number[]) =>
    all.length <= maxTokens ? all : [...all.slice(0, maxTokens - 1), all.at(-1) ?? 0];
  return { ids: keepEnd(ids), types: keepEnd(types) };
}

async function run({ ids, types }: Tokens): Promise<Output> {
  const loaded = await session;
  const tensor = (numbers: readonly number[]) =>
    new runtime.Tensor('int64', BigInt64Array.from(numbers, BigInt), [1, numbers.length]);
  const known: Readonly<Record<string, () => object>> = {
    input_ids: () => tensor(ids),
    attention_mask: () => tensor(ids.map(() => 1)),
    token_type_ids: () => tensor(types),
    position_ids: () => tensor(ids.map((_, at) => at)),
  };
  const inputs = loaded.inputNames.map((name) => {
    const input = known[name]?.();
    if (input === undefined) throw new Error(`the model wants an input "${name}", which is unknown`);
    return [name, input];
  });
  const outputs = await loaded.run(Object.fromEntries(inputs));
  const output = outputs['sentence_embedding'] ?? outputs[loaded.outputNames[0] ?? ''];
  if (output === undefined) throw new Error('the model has no output');
  return output;
}

/** One vector of the token vectors, of shape [1, tokens, width]; a model may have pooled them, to [1, width]. */
function pool({ data, dims }: Output, pooling: Pooling): Float32Array {
  const width = dims.at(-1) ?? 0;
  const tokens = dims.length === 3 ? (dims[1] ?? 0) : 1;
  if (pooling === 'cls') return data.slice(0, width);
  if (pooling === 'last_token') return data.slice((tokens - 1) * width, tokens * width);
  const mean = new Float32Array(width);
  for (let at = 0; at < tokens * width; at++) mean[at % width] = (mean[at % width] ?? 0) + (data[at] ?? 0);
  return mean.map((sum) => sum / tokens);
}

/** From 0 to 1: the logistic function of a single logit, or the probability of the last of several classes. */
function relevance({ data }: Output): number {
  const logits = Array.from(data);
  if (logits.length === 1) return 1 / (1 + Math.exp(-(logits[0] ?? 0)));
  const highest = Math.max(...logits);
  const powers = logits.map((logit) => Math.exp(logit - highest));
  return (powers.at(-1) ?? 0) / powers.reduce((sum, power) => sum + power, 0);
}
