import { ServiceError } from '../../errors.ts';
import { sourceKind } from '../../sources/kinds.ts';
import type { FollowedSource, SourceLocation } from '../../store/followed-sources.ts';
import type { UserRecords } from '../../store/user-records.ts';

/** Whether only superusers may follow a source at this location. */
export const isForSuperusers = (location: SourceLocation): boolean =>
  location.kind === 'folder' || (location.kind === 'remote' && sourceKind(location.type).isForSuperusers === true);

/**
 * Throws `forbidden` if the owner of a source is deactivated, or is no superuser although the source requires one.
 */
export async function requireOwnerRights(
  { ownerId, location }: FollowedSource,
  users: Pick<UserRecords, 'get'>,
): Promise<void> {
  const owner = await users.get(ownerId);
  // Without accounts there is no record of the owner.
  if (owner === undefined) return;
  if (!owner.isActive) throw new ServiceError('forbidden', `Its owner, ${owner.email}, is deactivated.`);
  if (isForSuperusers(location) && !owner.isSuperuser) {
    throw new ServiceError(
      'forbidden',
      `Its owner, ${owner.email}, is no longer a superuser, and only superusers can follow ${location.kind === 'folder' ? 'folders' : 'this kind of source'}. ` +
        'Another superuser can remove this source and add it again.',
    );
  }
}
