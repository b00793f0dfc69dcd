import { defaultCollectionId, userId } from '../documents/ids.ts';
import { type Audience, ServiceError } from '../errors.ts';

/** The authenticated caller. */
export interface Principal {
  readonly userId: string;
  readonly email: string;
  readonly isSuperuser: boolean;
  readonly collectionIds: readonly string[];
}

const ADMIN_EMAIL = 'admin@example.com';
const adminId = userId(ADMIN_EMAIL);

/** The only user of a deployment without authentication (docs/contract.md 2). */
export const defaultAdmin: Principal = {
  userId: adminId,
  email: ADMIN_EMAIL,
  isSuperuser: true,
  collectionIds: [defaultCollectionId(adminId)],
};

/** Who reads messages to this principal: superusers are administrators. */
export const audienceFor = (principal: Principal | undefined): Audience =>
  principal?.isSuperuser === true ? 'administrator' : 'member';

/** Throws `forbidden` unless the principal is a superuser. */
export function requireSuperuser({ isSuperuser }: Principal): void {
  if (!isSuperuser) throw new ServiceError('forbidden', 'This is for superusers only.');
}
