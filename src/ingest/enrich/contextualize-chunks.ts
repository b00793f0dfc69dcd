import { createHash } from 'node:crypto';
import pLimit from 'p-limit';
import { estimateTokens } from '../../documents/estimate-tokens.ts';
import { ServiceError } from '../../errors.ts';
import type { GenerationConfig } from '../../models/generation-config.ts';
import type { Model } from '../../models/model.ts';
import { costOf, type Price } from '../../models/prices.ts';
import { fillTemplate } from '../../prompts/template.ts';
import { withinTags } from '../../shared/within-tags.ts';
import type { ChunkContextRecords } from '../../store/chunk-context-records.ts';
import type { SplitChunk } from '../split-text.ts';
import { writeText } from './write-text.ts';

export interface ChunksToContextualize {
  readonly documentId: string;
  readonly title: string;
  /** Summary of the document, if known. */
  readonly summary: string | null;
  readonly chunks: readonly SplitChunk[];
}

export interface ContextualizeParts {
  readonly model: Model;
  readonly records: ChunkContextRecords;
  /** The prompt template, with placeholders. */
  readonly template: string;
  readonly generation: GenerationConfig;
  /** Number of chunks before and after that are included in the prompt. */
  readonly neighbours: number;
}

export interface ContextEstimate {
  readonly model: string;
  readonly chunks: number;
  /** Chunks whose context is cached and costs nothing. */
  readonly known: number;
  readonly calls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** US dollars; null when the model's price is not configured. */
  readonly cost: number | null;
}

const CONCURRENCY = 4;
const NEIGHBOUR_CHARACTERS = 2_000;
const SUMMARY_CHARACTERS = 1_500;
const MAX_CONTEXT_CHARACTERS = 800;
// A context has one or two sentences; a model's reasoning tokens count as well.
const DEFAULT_GENERATION = { temperature: 0, maxTokens: 1_000 } as const;
const TAGS = ['document-summary', 'before', 'passage', 'after'] as const;

/**
 * Contextual retrieval: a model writes for each chunk the context it needs to be understood alone. Contexts are cached
 * by model, prompt, title, headings and chunk, but not by neighbours, so that editing a chunk costs a single call. Each
 * is saved when it arrives; an interrupted run resumes where it stopped.
 */
export async function* contextualizeChunks(
  document: ChunksToContextualize,
  parts: ContextualizeParts,
  signal: AbortSignal,
): AsyncGenerator<{ readonly done: number; readonly total: number }, readonly SplitChunk[]> {
  const { documentId, chunks } = document;
  const { records } = parts;
  const hashes = chunks.map((chunk) => hashOf(chunk, document, parts));
  const contexts = new Map(await records.known(documentId, [...new Set(hashes)]));
  const seen = new Set(contexts.keys());
  const missing = chunks.flatMap((chunk, index) => {
    const hash = hashes[index] ?? '';
    if (seen.has(hash)) return [];
    seen.add(hash);
    return [{ chunk, hash }];
  });
  const failed = new AbortController();
  const combined = AbortSignal.any([signal, failed.signal]);
  const limit = pLimit(CONCURRENCY);
  let done = chunks.length - missing.length;
  if (missing.length > 0) yield { done, total: chunks.length };
  const writing = missing.map(({ chunk, hash }) =>
    limit(async () => {
      combined.throwIfAborted();
      const context = await writeContext(promptFor(chunk, document, parts), parts, combined);
      await records.keep(documentId, hash, context);
      contexts.set(hash, context);
      done++;
    }),
  );
  // Failures are handled below; this handler prevents unhandled rejections until then.
  for (const each of writing) each.catch((error: unknown) => failed.abort(error));
  try {
    for (const [index, each] of writing.entries()) {
      await each.catch((error: unknown) => {
        throw signal.aborted ? error : (failed.signal.reason ?? error);
      });
      if ((index + 1) % CONCURRENCY === 0) yield { done, total: chunks.length };
    }
  } finally {
    // If nobody waits for the contexts any more, no further ones are paid for.
    failed.abort(new ServiceError('cancelled', 'The contexts are no longer needed.'));
  }
  if (missing.length > 0) yield { done: chunks.length, total: chunks.length };
  await records.forgetOthers(documentId, [...new Set(hashes)]);
  return chunks.map((chunk, index) => {
    const context = contexts.get(hashes[index] ?? '') ?? '';
    return context === '' ? chunk : { ...chunk, context };
  });
}

/** Estimates the cost without calling the model. */
export async function estimateContextualizing(
  document: ChunksToContextualize,
  parts: ContextualizeParts,
  price: Price | undefined,
): Promise<ContextEstimate> {
  const hashes = document.chunks.map((chunk) => hashOf(chunk, document, parts));
  const known = await parts.records.known(document.documentId, [...new Set(hashes)]);
  const missing = document.chunks.filter((_, index) => !known.has(hashes[index] ?? ''));
  let inputTokens = 0;
  let cost = 0;
  for (const chunk of missing) {
    const input = estimateTokens(promptFor(chunk, document, parts));
    inputTokens += input;
    if (price) cost += costOf({ input, cachedInput: 0, output: OUTPUT_TOKENS, reasoning: 0 }, price);
  }
  return {
    model: parts.model.name,
    chunks: document.chunks.length,
    known: document.chunks.length - missing.length,
    calls: missing.length,
    inputTokens,
    outputTokens: missing.length * OUTPUT_TOKENS,
    cost: price ? cost : null,
  };
}

/** Tokens per reply: one or two sentences. */
const OUTPUT_TOKENS = 80;

async function writeContext(
  prompt: string,
  { model, generation }: ContextualizeParts,
  signal: AbortSignal,
): Promise<string> {
  const { text, reason } = await writeText(model, prompt, { ...DEFAULT_GENERATION, ...generation }, signal);
  // A chunk that a model refuses to process gets no context and is found by its own text.
  if (reason === 'refusal') return '';
  if (text === '' && reason === 'length') {
    throw new ServiceError(
      'invalid_request',
      `${model.name} used all its tokens without an answer. Raise max_tokens in the generation_config of chunk_enrichment_settings.`,
    );
  }
  return text.replace(/\s+/g, ' ').slice(0, MAX_CONTEXT_CHARACTERS).toWellFormed();
}

function hashOf(
  chunk: SplitChunk,
  { title }: ChunksToContextualize,
  { model, template, generation }: ContextualizeParts,
): string {
  const all = [model.name, template, generation, title, chunk.headingPath, chunk.text];
  return createHash('sha256').update(JSON.stringify(all)).digest('hex').slice(0, 32);
}

function promptFor(
  chunk: SplitChunk,
  document: ChunksToContextualize,
  { template, neighbours }: ContextualizeParts,
): string {
  const { title, summary, chunks } = document;
  const { order } = chunk;
  const before = chunks.slice(Math.max(0, order - neighbours), order).map(({ text }) => text);
  const after = chunks.slice(order + 1, order + 1 + neighbours).map(({ text }) => text);
  const inside = (text: string) => withinTags(text, ...TAGS);
  return fillTemplate(template, {
    document_title: inside([title, ...chunk.headingPath].join(' > ')),
    document_summary: inside((summary ?? '').slice(0, SUMMARY_CHARACTERS)),
    preceding_chunks: inside(before.join('\n').slice(-NEIGHBOUR_CHARACTERS).toWellFormed()),
    succeeding_chunks: inside(after.join('\n').slice(0, NEIGHBOUR_CHARACTERS).toWellFormed()),
    chunk: inside(chunk.text),
    chunk_size: String(chunk.text.length),
  });
}
