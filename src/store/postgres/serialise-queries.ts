import pLimit from 'p-limit';
import type { QueryConfig, QueryResult } from 'pg';
import { isWithoutAnswer } from './postgres-errors.ts';

/** Sends a query over one particular connection. */
export type RunQuery = (query: QueryConfig) => Promise<QueryResult>;

/**
 * Queues the queries of a connection, so that the time limit of each begins only when it is sent. After a query without
 * an answer, the connection is still waiting for it, so all later queries fail immediately.
 */
export function serialiseQueries(send: RunQuery): RunQuery {
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
