import { ServiceError } from '../errors.ts';
import type { MigrationSource } from './migration-source.ts';
import type { MigrationState } from './migration-state.ts';
import type { V3Connection } from './v3-connection.ts';

/** Context of one migration run. */
export interface Migration {
  readonly from: MigrationSource;
  readonly to: V3Connection;
  readonly state: MigrationState;
  readonly signal: AbortSignal;
}

/** Target of an item, and whether it had to be copied. */
export interface Copied {
  readonly to: string;
  readonly outcome: 'copied' | 'present';
  readonly reason?: string;
}

/** Resolves to undefined if the request fails with `not_found`. */
export async function undefinedIfMissing<T>(request: Promise<T>): Promise<T | undefined> {
  try {
    return await request;
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'not_found') return undefined;
    throw error;
  }
}
