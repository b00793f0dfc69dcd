import { ServiceError } from '../../errors.ts';
import type { FollowedSource } from '../../store/followed-sources.ts';
import type { UserRecords } from '../../store/user-records.ts';

/**
 * Folders are for superusers, and nothing is followed for a user who is deactivated. Throws `forbidden`.
 */
export async function requireOwnerRights(
  { ownerId, location }: FollowedSource,
  users: Pick<UserRecords, 'get'>,
): Promise<void> {
  const owner = await users.get(ownerId);
  // Without accounts there is no record of the owner.
  if (owner === undefined) return;
  if (!owner.isActive) throw new ServiceError('forbidden', `Its owner, ${owner.email}, is deactivated.`);
  if (location.kind === 'folder' && !owner.isSuperuser) {
    throw new ServiceError(
      'forbidden',
      `Its owner, ${owner.email}, is no longer a superuser, and only superusers may have folders watched. ` +
        'Another superuser can remove it here and add it again.',
    );
  }
}
