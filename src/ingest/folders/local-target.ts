import { basename } from 'node:path';
import type { Document } from '../../documents/document.ts';
import { isDocument } from '../../documents/filter.ts';
import { ServiceError } from '../../errors.ts';
import type { Corpus } from '../../store/corpus.ts';
import type { SourceRecords } from '../../store/source-records.ts';
import { documentOfSource, documentsOfSources } from '../document-of-source.ts';
import type { Ingestor, Submission } from '../ingestor.ts';
import type { FolderTarget, SourcedDocument } from './folder-target.ts';

export interface LocalTargetParts {
  readonly corpus: Pick<Corpus, 'get' | 'remove'>;
  readonly ingestor: Pick<Ingestor, 'submit' | 'run'>;
  readonly sources: SourceRecords;
}

export interface TargetOwner {
  readonly userId: string;
  /** Collections of new documents; empty means the owner's default collection. */
  collectionIds(): Promise<readonly string[]>;
}

/** Target that ingests in this process on behalf of a user. */
export function localTarget(owner: TargetOwner, { corpus, ingestor, sources }: LocalTargetParts): FolderTarget {
  const { userId } = owner;
  const remove = (id: string) => corpus.remove(isDocument(id));
  return {
    server: 'this process',
    async ingest({ source, fileName, bytes, mediaType, metadata }, signal) {
      const { id, before } = await documentOfSource(source, userId, sources);
      const submission: Submission = {
        id,
        source,
        metadata,
        settings: {},
        replace: true,
        ownerId: userId,
        content: {
          kind: 'file',
          bytes,
          fileName: fileName || basename(source),
          ...(mediaType !== undefined && { mediaType }),
        },
        collectionIds: await owner.collectionIds(),
      };
      const accepted = await ingestor.submit(submission, { isAwaited: true });
      if (accepted.kind !== 'accepted') return { outcome: accepted.kind, documentId: accepted.document.id };
      for await (const event of ingestor.run(id, signal)) {
        if (event.type !== 'failed') continue;
        const { error } = event;
        if (!(error instanceof ServiceError) || error.code !== 'unsupported_type') {
          return { outcome: 'failed', documentId: id, reason: error.message };
        }
        if (before === undefined) await remove(id);
        throw error;
      }
      return { outcome: before === undefined ? 'ingested' : 'replaced', documentId: id };
    },
    async documentOf(source) {
      const { before } = await documentOfSource(source, userId, sources);
      return before && toSourced(before);
    },
    async documentsOf(all) {
      const places = await documentsOfSources(all, userId, sources);
      return places.map(({ before }) => before && toSourced(before));
    },
    documentsBelow: async (query) => (await sources.below(userId, query)).map(toSourced),
    async updateSource(id, place) {
      await sources.updateSource(id, place);
    },
    deleteDocuments: (ids) => corpus.remove({ kind: 'in', field: 'document_id', values: [...ids] }),
  };
}

const toSourced = ({ id, source, contentHash, ingestionStatus }: Document): SourcedDocument => ({
  id,
  contentHash,
  status: ingestionStatus,
  source: source ?? '',
});
