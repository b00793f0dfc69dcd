import pLimit from 'p-limit';
import { ServiceError } from '../../errors.ts';
import { collectReply } from '../../models/collect-reply.ts';
import type { Message } from '../../models/message.ts';
import type { Model } from '../../models/model.ts';
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
}

/** Number of attempts to get a reply that can be parsed. */
const MAX_ATTEMPTS = 3;
const MAX_CONCURRENT_CALLS = 2;
const EXTRACTION_CONFIG = { temperature: 0, maxTokens: 8_000, responseFormat: extractionFormat };

/**
 * Extracts with a language model. Output that does not occur in the chunks is dropped (see `locateReply`), the model
 * gets no tools, and its input is marked as data. Throws the model's errors, and `provider_failed` if its replies
 * cannot be parsed.
 */
export function createModelExtractor(parts: ModelExtractorParts): GraphExtractor {
  const { model, chunksPerCall } = parts;
  return {
    name: model.name,
    async extract({ title, chunks }, signal) {
      const limit = pLimit(MAX_CONCURRENT_CALLS);
      const givenUp = new AbortController();
      const combined = AbortSignal.any([signal, givenUp.signal]);
      const extractions = batchChunks(chunks, chunksPerCall).map((batch) =>
        limit(async () => {
          combined.throwIfAborted();
          try {
            return await extractBatch(title, batch, parts, combined);
          } catch (error) {
            givenUp.abort(new ServiceError('cancelled', 'The extraction was given up.', { cause: error }));
            throw error;
          }
        }),
      );
      return mergeGraphs(await Promise.all(extractions));
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
    const request = { messages: conversation, tools: [], config: EXTRACTION_CONFIG, signal };
    const { text, reason } = await collectReply(parts.model, request);
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

function failure({ name }: Model, chunks: readonly GraphChunk[], what: string): ServiceError {
  const [first] = chunks;
  const which = chunks.length === 1 ? 'a passage' : `${chunks.length} passages`;
  return new ServiceError(
    'provider_failed',
    `${name} ${what} ${which}, beginning "${oneLine(first?.text.slice(0, 60) ?? '')}". ` +
      'Choose another model, or builtin/noun-phrases-v1, which needs none.',
  );
}
