import type { Principal } from '../access/principal.ts';
import { ServiceError } from '../errors.ts';

/** Throws `forbidden` unless the principal is a superuser. */
export function requireSuperuser({ isSuperuser }: Principal): void {
  if (!isSuperuser) throw new ServiceError('forbidden', 'This is for superusers only.');
}
