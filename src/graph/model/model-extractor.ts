import { ServiceError } from '../../errors.ts';
import type { GenerationConfig } from '../../models/generation-config.ts';
import type { Message } from '../../models/message.ts';
import type { Model, StopReason, Usage } from '../../models/model.ts';
import { oneLine } from '../../shared/text.ts';
import type { ExtractedGraph, GraphChunk, GraphExtractor } from '../graph.ts';
import { mergeGraphs } from '../merge-graphs.ts';
import { batchChunks } from './batch-chunks.ts';
import { type ExtractionOptions, extractionFormat, extractionMessages } from './extraction-prompt.ts';
import { locateReply } from './locate-reply.ts';
import { readReply } from './read-reply.ts';

export interface ModelExtractorParts extends ExtractionOptions {
  readonly model: Model;
  /** Default 4. */
  readonly chunksPerCall?: number | undefined;
  /** Number of concurrent calls; default 2. */
  readonly maxConcurrentCalls?: number | undefined;
  readonly config?: GenerationConfig | undefined;
  /** Called for every answered call, including ones that have to be repeated. */
  readonly onUsage?: ((model: string, usage: Usage) => void) | undefined;
}

export interface ExtractedBatch {
  /** The chunks from which the graph was extracted. */
  readonly chunkIds: readonly string[];
  readonly graph: ExtractedGraph;
}

export interface ModelExtractor extends GraphExtractor {
  /**
   * Extracts batch by batch, in the order of the chunks, for callers that save each result and can resume later with
   * the remaining chunks.
   */
  batches(
    document: Parameters<GraphExtractor['extract']>[0],
    signal: AbortSignal,
  ): AsyncGenerator<ExtractedBatch, void>;
}

/** Number of attempts to get a reply that can be parsed. */
const MAX_ATTEMPTS = 3;
const MAX_CONCURRENT_CALLS = 2;

/**
 * Extracts with a language model. Output that does not occur in the chunks is dropped (see `locateReply`), the model
 * gets no tools, and its input is marked as data. Throws the model's errors, and `provider_failed` if its replies
 * cannot be parsed.
 */
export function createModelExtractor(parts: ModelExtractorParts): ModelExtractor {
  const { model, chunksPerCall, maxConcurrentCalls = MAX_CONCURRENT_CALLS } = parts;

  async function* batches(
    { title, chunks }: Parameters<GraphExtractor['extract']>[0],
    signal: AbortSignal,
  ): AsyncGenerator<ExtractedBatch, void> {
    const waiting = batchChunks(chunks, chunksPerCall);
    const stop = new AbortController();
    const combined = AbortSignal.any([signal, stop.signal]);
    const running: Promise<ExtractedBatch>[] = [];
    const start = () => {
      const batch = waiting.shift();
      if (batch === undefined) return;
      const work = extractBatch(title, batch, parts, combined).then((graph) => ({
        chunkIds: batch.map(({ chunkId }) => chunkId),
        graph,
      }));
      // Failures are handled when the batch's turn comes; this handler prevents an unhandled rejection until then.
      work.catch(() => undefined);
      running.push(work);
    };
    try {
      for (let count = 0; count < Math.max(1, maxConcurrentCalls); count++) start();
      for (let next = running.shift(); next !== undefined; next = running.shift()) {
        const extracted = await next;
        start();
        yield extracted;
      }
    } finally {
      stop.abort(new ServiceError('cancelled', 'The extraction was given up.'));
    }
  }

  return {
    name: model.name,
    batches,
    async extract(document, signal) {
      const graphs: ExtractedGraph[] = [];
      for await (const { graph } of batches(document, signal)) graphs.push(graph);
      return mergeGraphs(graphs);
    },
  };
}

async function extractBatch(
  title: string,
  chunks: readonly GraphChunk[],
  parts: ModelExtractorParts,
  signal: AbortSignal,
): Promise<ExtractedGraph> {
  const messages = extractionMessages(title, chunks, parts);
  let conversation: readonly Message[] = messages;
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    const { text, reason } = await ask(conversation, parts, signal);
    if (reason === 'refusal') throw failure(parts.model, chunks, 'refused to read');
    // A truncated reply means too much content for one call: split the chunks into halves.
    if (reason === 'length' && chunks.length > 1) {
      const middle = Math.ceil(chunks.length / 2);
      const first = await extractBatch(title, chunks.slice(0, middle), parts, signal);
      return mergeGraphs([first, await extractBatch(title, chunks.slice(middle), parts, signal)]);
    }
    const reply = readReply(text);
    if (reply !== undefined) return locateReply(reply, chunks, parts);
    conversation = [
      ...messages,
      { role: 'assistant', text: text.slice(0, 2_000) || '(nothing)' },
      { role: 'user', text: RETRY_PROMPT },
    ];
  }
  throw failure(parts.model, chunks, 'returned no JSON of the requested form for');
}

const RETRY_PROMPT = 'That is not JSON of the requested form. Answer again with that JSON object and nothing else.';

async function ask(
  messages: readonly Message[],
  { model, config, onUsage }: ModelExtractorParts,
  signal: AbortSignal,
): Promise<{ readonly text: string; readonly reason: StopReason }> {
  let text = '';
  const request = { temperature: 0, maxTokens: 8_000, ...config, responseFormat: extractionFormat };
  for await (const event of model.stream({ messages, tools: [], config: request, signal })) {
    if (event.type === 'text') text += event.text;
    if (event.type === 'stop') {
      onUsage?.(event.model, event.usage);
      return { text, reason: event.reason };
    }
  }
  throw new ServiceError('provider_failed', `The reply of ${model.name} ended unexpectedly.`);
}

function failure({ name }: Model, chunks: readonly GraphChunk[], what: string): ServiceError {
  const [first] = chunks;
  const which = chunks.length === 1 ? 'a passage' : `${chunks.length} passages`;
  return new ServiceError(
    'provider_failed',
    `${name} ${what} ${which}, beginning "${oneLine(first?.text.slice(0, 60) ?? '')}". ` +
      'Choose another model, or builtin/noun-phrases-v1, which needs none.',
  );
}
