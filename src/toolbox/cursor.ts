import { createHash } from 'node:crypto';
import { ServiceError } from '../errors.ts';

/** Encodes an offset in a result list as an opaque cursor, bound to the arguments of the request. */
export function writeCursor(offset: number, ...scope: readonly unknown[]): string {
  return Buffer.from(`${offset}.${scopeHash(scope)}`, 'utf8').toString('base64url');
}

/** Decodes a cursor; 0 without one. Throws `invalid_request` for a cursor of other arguments. */
export function readCursor(cursor: string | undefined, ...scope: readonly unknown[]): number {
  if (cursor === undefined) return 0;
  const [offset, hash] = Buffer.from(cursor, 'base64url').toString('utf8').split('.');
  if (offset === undefined || !/^\d{1,9}$/.test(offset) || hash !== scopeHash(scope)) {
    throw new ServiceError(
      'invalid_request',
      'The cursor does not belong to these arguments. Start again without a cursor, or repeat the arguments it came with.',
    );
  }
  return Number(offset);
}

const scopeHash = (scope: readonly unknown[]): string =>
  createHash('sha256').update(JSON.stringify(scope)).digest('base64url').slice(0, 10);
