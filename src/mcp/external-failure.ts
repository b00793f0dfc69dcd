import { ServiceError } from '../errors.ts';
import type { ExternalServer } from './external-servers.ts';

// Errors are recognized by their properties instead of `instanceof`, so that the client need not be loaded. None of
// these messages contains text from the server.

interface ErrorLike {
  readonly name?: unknown;
  readonly code?: unknown;
  readonly status?: unknown;
  readonly message?: unknown;
  readonly cause?: unknown;
}

const toErrorLike = (error: unknown): ErrorLike => (typeof error === 'object' && error !== null ? error : {});

/** The message of an error that the server answered with; undefined when the server did not answer. */
export function serverErrorMessage(error: unknown): string | undefined {
  const { code, message } = toErrorLike(error);
  return typeof code === 'number' && typeof message === 'string' ? message : undefined;
}

/** Whether the server has dropped the session. */
export const isSessionGone = (error: unknown): boolean => toErrorLike(error).status === 404;

/** Why a server is unavailable, to follow "The MCP server x". */
export function reasonOf(error: unknown, { transport }: ExternalServer): string {
  if (error instanceof ServiceError) return error.message;
  const { code, status } = toErrorLike(error);
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
      // `fetch` throws a TypeError when there is no response.
      return causes.some(({ name }) => name === 'TypeError')
        ? 'cannot be reached'
        : 'sent a response that is not valid MCP';
  }
}

const isSystemCode = (code: unknown): code is string => typeof code === 'string' && /^E[A-Z]{3,}$/.test(code);

/** The error and its causes, outermost first. */
function causesOf(error: unknown): ErrorLike[] {
  const causes: ErrorLike[] = [];
  for (let each = error; each !== undefined && causes.length < 5; each = toErrorLike(each).cause)
    causes.push(toErrorLike(each));
  return causes;
}
