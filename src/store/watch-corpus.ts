import type { Corpus } from './corpus.ts';
import type { DocumentVersions } from './versions.ts';

/** A document was added, changed or removed; `removed` without an id when many were. */
export interface CorpusEvent {
  readonly kind: 'published' | 'changed' | 'removed';
  readonly documentId?: string;
}

/** Publishes changes to a corpus after they have happened. */
export interface CorpusWatch {
  /** Calls the listener until the returned function is called. */
  subscribe(listener: (event: CorpusEvent) => void): () => void;
}

export interface WatchedCorpus {
  readonly corpus: Corpus;
  readonly changes: CorpusWatch;
  /** Reports a change that another process has made. */
  changedElsewhere(event: CorpusEvent): void;
  /** Wraps versions, so that a restoration is reported as a publication. */
  watched(versions: DocumentVersions): DocumentVersions;
}

/** Wraps a corpus so that other parts of the program can watch its changes. */
export function watchCorpus(corpus: Corpus): WatchedCorpus {
  const listeners = new Set<(event: CorpusEvent) => void>();
  const notify = (event: CorpusEvent) => {
    for (const listener of listeners) listener(event);
  };
  return {
    corpus: {
      ...corpus,
      async publish(id, publication) {
        const document = await corpus.publish(id, publication);
        notify({ kind: 'published', documentId: id });
        return document;
      },
      async setMetadata(id, metadata, mode) {
        const document = await corpus.setMetadata(id, metadata, mode);
        notify({ kind: 'changed', documentId: id });
        return document;
      },
      async editChunk(id, change) {
        const chunk = await corpus.editChunk(id, change);
        notify({ kind: 'changed', documentId: chunk.documentId });
        return chunk;
      },
      async removeChunk(id) {
        const [chunk] = await corpus.chunksById([id]);
        const receipt = await corpus.removeChunk(id);
        const documentId = chunk === undefined ? {} : { documentId: chunk.documentId };
        notify({ kind: receipt.documents > 0 ? 'removed' : 'changed', ...documentId });
        return receipt;
      },
      async remove(filter) {
        const receipt = await corpus.remove(filter);
        const isOne = filter.kind === 'compare' && filter.field === 'document_id' && filter.op === 'eq';
        if (receipt.documents > 0) {
          notify({ kind: 'removed', ...(isOne ? { documentId: String(filter.value) } : {}) });
        }
        return receipt;
      },
    },
    watched: (versions) => ({
      ...versions,
      async restore(id, version) {
        const document = await versions.restore(id, version);
        notify({ kind: 'published', documentId: id });
        return document;
      },
    }),
    changedElsewhere: notify,
    changes: {
      subscribe(listener) {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    },
  };
}
