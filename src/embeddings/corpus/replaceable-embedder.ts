import { raceAbort } from '../../shared/abort.ts';
import { Condition } from '../../shared/condition.ts';
import { delegatingEmbedder } from '../delegating-embedder.ts';
import type { EmbeddingModel } from '../embedding-model.ts';

/** Shared reference to the embedder of the corpus, which re-embedding replaces at run time. */
export interface ReplaceableEmbedder {
  readonly embeddings: EmbeddingModel;
  replace(embedder: EmbeddingModel): void;
  /** Resolves with the next embedder once it is set. */
  next(signal?: AbortSignal): Promise<EmbeddingModel>;
}

export function replaceableEmbedder(first: EmbeddingModel): ReplaceableEmbedder {
  let current = first;
  const replaced = new Condition<EmbeddingModel>();
  return {
    embeddings: delegatingEmbedder(() => current),
    replace: (embedder) => {
      current = embedder;
      replaced.notify(embedder);
    },
    next: (signal) => raceAbort(replaced.next, signal),
  };
}
