import type { Corpus } from './corpus.ts';
import type { DocumentVersions } from './versions.ts';

/** A document that is there now, is another now, or is gone; `removed` without an id when many are. */
export interface CorpusEvent {
  readonly kind: 'published' | 'changed' | 'removed';
  readonly documentId?: string;
}

/** Tells of changes to a corpus after they have happened. */
export interface CorpusWatch {
  /** Until the returned function is called. */
  subscribe(listener: (event: CorpusEvent) => void): () => void;
}

export interface WatchedCorpus {
  readonly corpus: Corpus;
  readonly changes: CorpusWatch;
  /** The same versions, whose restoring is a publication. */
  watched(versions: DocumentVersions): DocumentVersions;
}

/** The same corpus, whose changes can be watched by whoever did not make them. */
export function watchCorpus(corpus: Corpus): WatchedCorpus {
  const listeners = new Set<(event: CorpusEvent) => void>();
  const tell = (event: CorpusEvent) => {
    for (const listener of listeners) listener(event);
  };
  return {
    corpus: {
      ...corpus,
      async publish(id, publication) {
        const document = await corpus.publish(id, publication);
        tell({ kind: 'published', documentId: id });
        return document;
      },
      async setMetadata(id, metadata, how) {
        const document = await corpus.setMetadata(id, metadata, how);
        tell({ kind: 'changed', documentId: id });
        return document;
      },
      async editChunk(id, change) {
        const chunk = await corpus.editChunk(id, change);
        tell({ kind: 'changed', documentId: chunk.documentId });
        return chunk;
      },
      async removeChunk(id) {
        const [chunk] = await corpus.chunksById([id]);
        const receipt = await corpus.removeChunk(id);
        const documentId = chunk === undefined ? {} : { documentId: chunk.documentId };
        tell({ kind: receipt.documents > 0 ? 'removed' : 'changed', ...documentId });
        return receipt;
      },
      async remove(filter) {
        const receipt = await corpus.remove(filter);
        const isOne = filter.kind === 'compare' && filter.field === 'document_id' && filter.op === 'eq';
        if (receipt.documents > 0) {
          tell({ kind: 'removed', ...(isOne ? { documentId: String(filter.value) } : {}) });
        }
        return receipt;
      },
    },
    watched: (versions) => ({
      ...versions,
      async restore(id, version) {
        const document = await versions.restore(id, version);
        tell({ kind: 'published', documentId: id });
        return document;
      },
    }),
    changes: {
      subscribe(listener) {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    },
  };
}
