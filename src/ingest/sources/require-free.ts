import { ServiceError } from '../../errors.ts';
import type { SourceLocation } from '../../store/followed-sources.ts';
import { placeOf } from './source-status.ts';

const MAX_PER_OWNER = 100;

/**
 * Throws `conflict` if an owner who follows `own` may not follow this source too, because it is one of them or there are
 * too many. `overlap` tells whether two folders contain each other.
 */
export function requireFree(
  location: SourceLocation,
  own: readonly SourceLocation[],
  overlap: (one: string, other: string) => boolean,
): void {
  if (own.length >= MAX_PER_OWNER) {
    throw new ServiceError(
      'conflict',
      `At most ${MAX_PER_OWNER} sources are followed for one user. Remove some first.`,
    );
  }
  const other = own.find((there) =>
    there.kind === 'folder'
      ? location.kind === 'folder' && overlap(there.path, location.path)
      : location.kind !== 'folder' && placeOf(there) === placeOf(location),
  );
  if (other === undefined) return;
  throw new ServiceError(
    'conflict',
    `${placeOf(other)} is followed already. Synchronise it, change it (such as its credentials), or remove it first.`,
  );
}
