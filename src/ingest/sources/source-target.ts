import type { FollowedSource } from '../../store/followed-sources.ts';
import type { CollectionRecords } from '../../store/records.ts';
import type { FolderTarget } from '../folders/folder-target.ts';
import { type LocalTargetParts, localTarget } from '../folders/local-target.ts';

export interface SourceTargetParts extends LocalTargetParts {
  readonly collections: Pick<CollectionRecords, 'existing'>;
}

/** Target that ingests the items of a source on behalf of its owner, into its collections. */
export const sourceTarget = ({ ownerId, collectionIds }: FollowedSource, parts: SourceTargetParts): FolderTarget =>
  localTarget(
    {
      userId: ownerId,
      // Omits collections that were deleted meanwhile.
      collectionIds: () => parts.collections.existing(collectionIds),
    },
    parts,
  );
