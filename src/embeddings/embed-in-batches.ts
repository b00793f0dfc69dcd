import pLimit from 'p-limit';
import { ServiceError } from '../errors.ts';
import type { EmbeddingModel } from './embedding-model.ts';

export interface EmbedInBatchesOptions {
  readonly kind: 'passage' | 'query';
  readonly signal: AbortSignal;
  /** Called after each batch with the number of texts done. */
  readonly onProgress?: (done: number, total: number) => void;
  /** Number of concurrent batches. */
  readonly concurrency?: number;
  readonly batchSize?: number;
}

const DEFAULT_CONCURRENCY = 4;
const DEFAULT_BATCH_SIZE = 64;

/** Embeds texts in batches, one vector per text, in order. The first failure aborts running calls. */
export async function embedInBatches(
  model: EmbeddingModel,
  texts: readonly string[],
  {
    kind,
    signal,
    onProgress,
    concurrency = DEFAULT_CONCURRENCY,
    batchSize = DEFAULT_BATCH_SIZE,
  }: EmbedInBatchesOptions,
): Promise<Float32Array[]> {
  const failed = new AbortController();
  const combined = AbortSignal.any([signal, failed.signal]);
  const limit = pLimit(concurrency);
  let done = 0;

  const embedBatch = async (batch: readonly string[]): Promise<Float32Array[]> => {
    // The queue would otherwise start the next batch before the failure is noticed.
    if (combined.aborted) throw new ServiceError('cancelled', 'The request was cancelled.');
    try {
      const vectors = await model.embed(batch, kind, combined);
      done += batch.length;
      onProgress?.(done, texts.length);
      return vectors;
    } catch (error) {
      failed.abort(error);
      throw error;
    }
  };
  return (await limit.map(batchesOf(texts, batchSize), embedBatch)).flat();
}

function batchesOf(texts: readonly string[], size: number): (readonly string[])[] {
  return Array.from({ length: Math.ceil(texts.length / size) }, (_, index) =>
    texts.slice(index * size, (index + 1) * size),
  );
}
