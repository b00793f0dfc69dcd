import { ServiceError } from '../../errors.ts';
import type { Table } from './catalog.ts';

/** Comparison of one table in both databases. */
export interface Comparison {
  readonly table: string;
  readonly rows: readonly [source: number, target: number];
  /** SHA-256 of the rows, ordered by key, and of the last key assigned by the counter. */
  readonly hashes: readonly [source: string, target: string];
  readonly isEqual: boolean;
}

export type CopyEvent =
  | {
      readonly type: 'began';
      readonly how: 'new' | 'continued';
      readonly tables: number;
      readonly rows: number;
      readonly bytes: number;
    }
  | {
      readonly type: 'progress';
      readonly stage: 'copy' | 'full_text' | 'compare';
      readonly table: string;
      readonly rows: number;
      readonly totalRows: number;
      readonly bytes: number;
      readonly totalBytes: number;
    }
  | { readonly type: 'compared'; readonly tables: readonly Comparison[] };

export interface Work {
  readonly tables: readonly Table[];
  readonly total: { readonly rows: number; readonly bytes: number };
  readonly signal: AbortSignal;
}

export const progressOf = (
  stage: 'copy' | 'full_text' | 'compare',
  table: string,
  done: { readonly rows: number; readonly bytes: number },
  total: { readonly rows: number; readonly bytes: number },
) =>
  ({
    type: 'progress',
    stage,
    table,
    rows: done.rows,
    bytes: done.bytes,
    totalRows: total.rows,
    totalBytes: total.bytes,
  }) as const;

/** Call between two transactions, so that running the same command again continues from that point. */
export function throwIfEnded(signal: AbortSignal): void {
  if (signal.aborted)
    throw new ServiceError('cancelled', 'Interrupted; the same command continues where this stopped.');
}
