import { ServiceError } from '../errors.ts';
import type { ExternalServer } from './external-servers.ts';

// Told apart by their marks and not by their classes, so that the client need not be loaded for it. The words of a
// server are in none of the sentences.

interface Marked {
  readonly name?: unknown;
  readonly code?: unknown;
  readonly status?: unknown;
  readonly message?: unknown;
  readonly cause?: unknown;
}

const marksOf = (error: unknown): Marked => (typeof error === 'object' && error !== null ? error : {});

/** What the server itself answered instead of a result, in its words; undefined when it answered nothing. */
export function isSettledAnswer(error: unknown): string | undefined {
  const { code, message } = marksOf(error);
  return typeof code === 'number' && typeof message === 'string' ? message : undefined;
}

/** Whether the server no longer knows the session. */
export const isSessionGone = (error: unknown): boolean => marksOf(error).status === 404;

/** Why a server is of no use now, as the end of "The MCP server x …". */
export function reasonOf(error: unknown, { transport }: ExternalServer): string {
  if (error instanceof ServiceError) return error.message;
  const { code, status } = marksOf(error);
  if (status === 401 || status === 403) return `does not accept the credentials (status ${status})`;
  if (typeof status === 'number') return `answered with status ${status}`;
  const causes = causesOf(error);
  const system = causes.map((cause) => cause.code).find(isSystemCode);
  if (system === 'ENOENT' && transport.kind === 'stdio')
    return `cannot be started: there is no command ${transport.command}`;
  if (system !== undefined) return `cannot be ${transport.kind === 'stdio' ? 'started' : 'reached'} (${system})`;
  switch (code) {
    case 'REQUEST_TIMEOUT':
      return 'did not answer in time';
    case 'CONNECTION_CLOSED':
    case 'NOT_CONNECTED':
      return 'ended the connection';
    case 'LIST_PAGINATION_EXCEEDED':
      return 'has more tools than can be listed';
    default:
      // What `fetch` throws when there is no answer at all.
      return causes.some(({ name }) => name === 'TypeError') ? 'cannot be reached' : 'answered with what is not MCP';
  }
}

const isSystemCode = (code: unknown): code is string => typeof code === 'string' && /^E[A-Z]{3,}$/.test(code);

/** The error and what led to it, outermost first. */
function causesOf(error: unknown): Marked[] {
  const causes: Marked[] = [];
  for (let each = error; each !== undefined && causes.length < 5; each = marksOf(each).cause)
    causes.push(marksOf(each));
  return causes;
}
