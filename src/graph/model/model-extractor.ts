import { ServiceError } from '../../errors.ts';
import type { GenerationConfig } from '../../models/generation-config.ts';
import type { Message } from '../../models/message.ts';
import type { Model, StopReason, Usage } from '../../models/model.ts';
import type { ExtractedGraph, GraphExtractor, GraphPassage } from '../graph.ts';
import { mergeGraphs } from '../merge-graphs.ts';
import { batchPassages } from './batch-passages.ts';
import { type ExtractionWishes, extractionFormat, extractionMessages } from './extraction-prompt.ts';
import { placeReply } from './place-reply.ts';
import { readReply } from './read-reply.ts';

export interface ModelExtractorParts extends ExtractionWishes {
  readonly model: Model;
  /** Default 4. */
  readonly passagesPerCall?: number | undefined;
  /** Calls under way at once; default 2. */
  readonly callsAtOnce?: number | undefined;
  readonly config?: GenerationConfig | undefined;
  /** Told of every call that was answered, also of those that have to be asked again. */
  readonly onUsage?: ((model: string, usage: Usage) => void) | undefined;
}

export interface ExtractedBatch {
  /** The passages it was extracted from. */
  readonly chunkIds: readonly string[];
  readonly graph: ExtractedGraph;
}

export interface ModelExtractor extends GraphExtractor {
  /**
   * The same batch by batch, in the order of the passages, for a caller who keeps each when it comes and goes on later
   * with the passages that are left.
   */
  batches(
    document: Parameters<GraphExtractor['extract']>[0],
    signal: AbortSignal,
  ): AsyncGenerator<ExtractedBatch, void>;
}

/** A reply that cannot be read is asked for so often in all. */
const ATTEMPTS = 3;
const CALLS_AT_ONCE = 2;

/**
 * Has a model extract. Whatever it says that does not stand in the passages is left out (see `placeReply`), it is given
 * no tools, and what it reads is marked as data. Throws what the model throws, and `provider_failed` when its replies
 * cannot be read.
 */
export function createModelExtractor(parts: ModelExtractorParts): ModelExtractor {
  const { model, passagesPerCall, callsAtOnce = CALLS_AT_ONCE } = parts;

  async function* batches(
    { title, passages }: Parameters<GraphExtractor['extract']>[0],
    signal: AbortSignal,
  ): AsyncGenerator<ExtractedBatch, void> {
    const waiting = batchPassages(passages, passagesPerCall);
    const stop = new AbortController();
    const either = AbortSignal.any([signal, stop.signal]);
    const running: Promise<ExtractedBatch>[] = [];
    const start = () => {
      const batch = waiting.shift();
      if (batch === undefined) return;
      const work = extractBatch(title, batch, parts, either).then((graph) => ({
        chunkIds: batch.map(({ chunkId }) => chunkId),
        graph,
      }));
      // Its failure is heard when its turn comes; until then it must not count as unheard.
      work.catch(() => undefined);
      running.push(work);
    };
    try {
      for (let count = 0; count < Math.max(1, callsAtOnce); count++) start();
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
  passages: readonly GraphPassage[],
  parts: ModelExtractorParts,
  signal: AbortSignal,
): Promise<ExtractedGraph> {
  const messages = extractionMessages(title, passages, parts);
  let asked: readonly Message[] = messages;
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const { text, reason } = await ask(asked, parts, signal);
    if (reason === 'refusal') throw failure(parts.model, passages, 'refused to read');
    // A reply that was cut off says too much for one call: half of the passages each.
    if (reason === 'length' && passages.length > 1) {
      const middle = Math.ceil(passages.length / 2);
      const first = await extractBatch(title, passages.slice(0, middle), parts, signal);
      return mergeGraphs([first, await extractBatch(title, passages.slice(middle), parts, signal)]);
    }
    const reply = readReply(text);
    if (reply !== undefined) return placeReply(reply, passages, parts);
    asked = [
      ...messages,
      { role: 'assistant', text: text.slice(0, 2_000) || '(nothing)' },
      { role: 'user', text: AGAIN },
    ];
  }
  throw failure(parts.model, passages, 'gave no JSON of the asked form for');
}

const AGAIN = 'That could not be read as JSON of the asked form. Answer again, with that JSON object and nothing else.';

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
  throw new ServiceError('provider_failed', `${model.name} ended its reply without saying so.`);
}

function failure({ name }: Model, passages: readonly GraphPassage[], what: string): ServiceError {
  const [first] = passages;
  const which = passages.length === 1 ? 'a passage' : `${passages.length} passages`;
  return new ServiceError(
    'provider_failed',
    `${name} ${what} ${which}, beginning "${first?.text.slice(0, 60).replace(/\s+/g, ' ').trim() ?? ''}". ` +
      'Choose another model, or builtin/noun-phrases-v1, which needs none.',
  );
}
