import pLimit from 'p-limit';
import type { QueryConfig, QueryResult } from 'pg';
import { isWithoutAnswer } from './postgres-errors.ts';

/** Sends a query over a certain connection. */
export type Ask = (query: QueryConfig) => Promise<QueryResult>;

/**
 * Queries of a connection wait for each other here, where their time to answer has not begun. After one without an answer
 * the connection still waits for it, so that all others fail at once.
 */
export function oneAtATime(send: Ask): Ask {
  const turns = pLimit(1);
  let failure: unknown;
  return (query) =>
    turns(async () => {
      if (failure !== undefined) throw failure;
      try {
        return await send(query);
      } catch (error) {
        if (isWithoutAnswer(error)) failure = error;
        throw error;
      }
    });
}
