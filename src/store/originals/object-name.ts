import { randomBytes } from 'node:crypto';
import { ServiceError } from '../../errors.ts';

/** What an object's name states about its bytes. */
export interface ObjectFacts {
  /** SHA-256, lower-case hex. */
  readonly hash: string;
  readonly size: number;
}

/**
 * A unique name: the same bytes submitted twice become two objects, so that one can be removed while the other is being
 * written.
 */
export const newObjectName = ({ hash, size }: ObjectFacts): string =>
  `${hash}-${size}-${randomBytes(8).toString('hex')}`;

export function factsOf(object: string): ObjectFacts {
  const [, hash = '', size = ''] = /^([0-9a-f]{64})-(\d{1,15})-[0-9a-f]{16}$/.exec(object) ?? [];
  if (hash === '')
    throw new ServiceError('store_failed', `"${object}" is not a valid object name of an uploaded file.`);
  return { hash, size: Number(size) };
}
