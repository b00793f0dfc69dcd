import pLimit from 'p-limit';
import { ServiceError } from '../errors.ts';
import type { EmbeddingModel } from './embedding-model.ts';

export interface EmbedInBatchesOptions {
  readonly kind: 'passage' | 'query';
  readonly signal: AbortSignal;
  /** Told after each batch how many texts are done. */
  readonly onProgress?: (done: number, total: number) => void;
  /** Batches under way at once. */
  readonly concurrency?: number;
  readonly batchSize?: number;
}

const DEFAULT_CONCURRENCY = 4;
const DEFAULT_BATCH_SIZE = 64;

/** One vector per text, in order, asked for in few calls. The first failure ends the calls that are under way. */
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
  const either = AbortSignal.any([signal, failed.signal]);
  const limit = pLimit(concurrency);
  let done = 0;

  const embedBatch = async (batch: readonly string[]): Promise<Float32Array[]> => {
    // The queue hands out the next batch before anyone hears that this one failed.
    if (either.aborted) throw new ServiceError('cancelled', 'The request was cancelled.');
    try {
      const vectors = await model.embed(batch, kind, either);
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
