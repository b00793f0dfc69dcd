import { hostHeaderValidation, originValidation } from '@modelcontextprotocol/express';
import { toNodeHandler, toWebRequest } from '@modelcontextprotocol/node';
import { type AuthInfo, createMcpHandler, isLegacyRequest, type McpServerFactory } from '@modelcontextprotocol/server';
import express, { type ErrorRequestHandler, type Request, type RequestHandler, Router } from 'express';
import { type Authenticate, readCredentials } from '../access/credentials.ts';
import type { Principal } from '../access/principal.ts';
import { jsonProblem } from '../documents/json-problem.ts';
import { type ErrorCode, ServiceError } from '../errors.ts';
import { markEndless } from '../shared/endless-responses.ts';
import { splitList } from '../shared/text.ts';
import { allowPages } from './allow-pages.ts';
import type { Backend } from './backend.ts';
import type { ToolOffer } from './choose-tools.ts';
import { documentUri, INDEX_URI } from './document-uri.ts';
import { createSubscriptions } from './narrow-subscriptions.ts';
import { paceChanges } from './pace-changes.ts';
import { sendError } from './send-error.ts';
import type { CreateMcpServer } from './server.ts';
import { createSessions, type SessionLimits } from './sessions.ts';

export interface McpHttpParts {
  readonly createServer: CreateMcpServer;
  readonly backend: Backend;
  /** Authenticates a request. */
  readonly authenticate: Authenticate;
  /** Whether the server also serves the web page, so that results can link to it. */
  readonly servesPage?: boolean;
  /** Host names of this server, and of pages allowed to call it (CORS); without ports. */
  readonly allowedHosts: readonly string[];
  readonly allowedOrigins: readonly string[];
  readonly limits?: Partial<McpHttpLimits>;
  /** Resolves a connection's own options to tools. Throws `invalid_field` for an unknown name. */
  readonly offerFor?: (options: ConnectionOptions) => ToolOffer;
  /** Counts a tool call towards the rate limit. Throws `rate_limited`. */
  readonly admit?: (principal: Principal, route: string) => Promise<void>;
  readonly onError: (error: Error) => void;
}

/** Tool options of a client, from the header `X-MCP-Toolsets` and the path `/readonly`. */
export interface ConnectionOptions {
  readonly toolsets?: readonly string[];
  readonly readOnly: boolean;
}

export interface McpHttpLimits extends SessionLimits {
  /** Maximum bytes of a message. */
  readonly maxBodyBytes: number;
  /** Maximum number of open notification streams. */
  readonly maxSubscriptions: number;
  /** Milliseconds between checks that the client of a notification stream is still authorized. */
  readonly recheckMs: number;
}

const DEFAULT_LIMITS: McpHttpLimits = {
  maxBodyBytes: 4_000_000,
  maxSubscriptions: 256,
  recheckMs: 60_000,
  maxSessions: 256,
  maxSessionsPerUser: 64,
  idleMs: 30 * 60_000,
};

export interface McpHttp {
  readonly router: Router;
  close(): Promise<void>;
}

/**
 * Streamable HTTP transport. Requests of revision 2026-07-28 are stateless; earlier revisions use sessions, which they
 * need for cancellation.
 */
export function mcpOverHttp(parts: McpHttpParts): McpHttp {
  const { createServer, backend, onError } = parts;
  const limits = { ...DEFAULT_LIMITS, ...parts.limits };
  const factory: McpServerFactory = ({ authInfo }) =>
    createServer(principalIn(authInfo), { offer: offerIn(authInfo), pageOrigin: pageOriginIn(authInfo) });
  const handler = createMcpHandler(factory, {
    legacy: 'reject',
    onerror: onError,
    maxSubscriptions: limits.maxSubscriptions,
    maxRequestBodySize: limits.maxBodyBytes,
  });
  const modern = toNodeHandler(handler, { onerror: onError });
  const sessions = createSessions({ createServer, backend, limits, onError });
  const subscriptions = createSubscriptions(backend, (request) => principalIn(authOf(request)));
  const unsubscribe = paceChanges(backend, (changes) => {
    if (changes.isListChanged) handler.notify.resourcesChanged();
    handler.notify.resourceUpdated(INDEX_URI);
    subscriptions
      .endLost(changes)
      .then(() => {
        for (const id of changes.documentIds) handler.notify.resourceUpdated(documentUri(id));
      })
      .catch(onError);
  });

  const router = Router();
  router.use(
    hostHeaderValidation([...parts.allowedHosts]),
    ...(parts.allowedOrigins.includes('*') ? [] : [originValidation([...parts.allowedOrigins])]),
    allowPages,
    authenticated(parts.authenticate, parts.servesPage === true),
    ...(parts.offerFor === undefined ? [] : [withOffer(parts.offerFor)]),
    refuseOtherMethods,
    requireJson,
    express.json({ limit: limits.maxBodyBytes, type: isJson }),
    answerBadBody,
    refuseDeepJson,
    rateLimited(parts.admit ?? (async () => {})),
    closeRevoked(parts.authenticate, limits.recheckMs),
    subscriptions.narrow,
  );
  router.all(['/', READ_ONLY_PATH], async (request, response) => {
    const principal = principalIn(authOf(request));
    if (await isLegacyRequest(await toWebRequest(request, request.body), request.body)) {
      const auth = authOf(request);
      await sessions.handle(request, response, principal, { offer: offerIn(auth), pageOrigin: pageOriginIn(auth) });
    } else {
      await modern(request, response, request.body);
    }
  });
  return {
    router,
    async close() {
      unsubscribe();
      await Promise.all([sessions.close(), handler.close()]);
    },
  };
}

const authOf = (request: Request): AuthInfo | undefined => (request as { readonly auth?: AuthInfo }).auth;

function principalIn(auth: AuthInfo | undefined): Principal {
  const principal = auth?.extra?.['principal'] as Principal | undefined;
  if (principal === undefined) throw new ServiceError('unauthenticated', 'This request has not been authenticated.');
  return principal;
}

const offerIn = (auth: AuthInfo | undefined) => auth?.extra?.['offer'] as ToolOffer | undefined;

const pageOriginIn = (auth: AuthInfo | undefined) => auth?.extra?.['pageOrigin'] as string | undefined;

const TOOLSETS_HEADER = 'X-MCP-Toolsets';
const READ_ONLY_PATH = '/readonly';

/** A session keeps the options of its initialize request; stateless requests send theirs each time. */
function withOffer(offerFor: NonNullable<McpHttpParts['offerFor']>): RequestHandler {
  return (request, response, next) => {
    const toolsets = splitList(request.get(TOOLSETS_HEADER) ?? '', /,/);
    const readOnly = request.path === READ_ONLY_PATH;
    if (toolsets.length === 0 && !readOnly) return next();
    try {
      const offer = offerFor({ readOnly, ...(toolsets.length > 0 && { toolsets }) });
      const auth = authOf(request);
      Object.assign(request, { auth: { ...auth, extra: { ...auth?.extra, offer } } });
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code !== 'invalid_field') throw error;
      sendError(response, 400, -32600, `${TOOLSETS_HEADER}: ${error.message}`);
      return;
    }
    next();
  };
}

function authenticated(authenticate: Authenticate, servesPage: boolean): RequestHandler {
  return async (request, response, next) => {
    try {
      const principal = await authenticate(readCredentials(request));
      // `hostHeaderValidation` has already checked the Host header.
      const pageOrigin = servesPage ? URL.parse(`${request.protocol}://${request.get('host')}`)?.origin : undefined;
      // Only the principal is passed on, never the token.
      const auth: AuthInfo = { token: '', clientId: principal.userId, scopes: [], extra: { principal, pageOrigin } };
      Object.assign(request, { auth });
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      const status = refusalStatus[error.code] ?? 403;
      if (status === 401) response.set('WWW-Authenticate', error.challenge ?? 'Bearer realm="citewell"');
      sendError(response, status, -32001, error.message);
      return;
    }
    next();
  };
}

/** Applies the rate limit to tool calls only, not to other messages. */
function rateLimited(admit: NonNullable<McpHttpParts['admit']>): RequestHandler {
  return async (request, response, next) => {
    // Revisions before 2025-06-18 allow batches.
    const messages = [request.body as unknown].flat() as readonly ({ readonly method?: unknown } | null | undefined)[];
    try {
      for (const message of messages) {
        if (message?.method === 'tools/call') await admit(principalIn(authOf(request)), 'POST /mcp');
      }
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code !== 'rate_limited') throw error;
      response.set('Retry-After', String(error.retryAfter ?? 60));
      sendError(response, 429, -32002, error.message);
      return;
    }
    next();
  };
}

/** Closes a notification stream, which may be open for days, when its client is no longer authorized. */
function closeRevoked(authenticate: Authenticate, every: number): RequestHandler {
  return (request, response, next) => {
    const { method } = (request.body ?? {}) as { readonly method?: unknown };
    if (request.method !== 'GET' && method !== 'subscriptions/listen') return next();
    markEndless(response);
    const timer = setInterval(() => {
      authenticate(readCredentials(request)).then(
        ({ isSuperuser }) => {
          // The stream was opened with rights that the client no longer has; it can open another one.
          if (principalIn(authOf(request)).isSuperuser && !isSuperuser) response.destroy();
        },
        (error: unknown) => {
          if (error instanceof ServiceError && refusalStatus[error.code] === 401) response.destroy();
        },
      );
    }, every).unref();
    response.once('close', () => clearInterval(timer));
    next();
  };
}

const refusalStatus: { readonly [code in ErrorCode]?: number } = {
  unauthenticated: 401,
  token_expired: 401,
  invalid_request: 400,
  provider_failed: 502,
};

/** Rejects deeply nested JSON, which would overflow the stack in the SDK's recursive code. */
const refuseDeepJson: RequestHandler = (request, response, next) => {
  const problem = jsonProblem(request.body);
  if (problem === undefined) return next();
  sendError(response, 400, -32600, problem.message);
};

const isJson = (request: { readonly headers: Request['headers'] }): boolean =>
  /^application\/json\s*(?:;|$)/i.test(request.headers['content-type'] ?? '');

const METHODS = ['GET', 'POST', 'DELETE', 'HEAD', 'OPTIONS'];

/** Rejects methods such as TRACE, which the SDK's Request conversion cannot represent. */
const refuseOtherMethods: RequestHandler = (request, response, next) => {
  if (METHODS.includes(request.method)) return next();
  response.set('Allow', 'GET, POST, DELETE');
  sendError(response, 405, -32000, 'Method not allowed.');
};

const requireJson: RequestHandler = (request, response, next) => {
  if (request.method !== 'POST' || isJson(request)) return next();
  sendError(response, 415, -32000, 'Send a JSON-RPC message with Content-Type: application/json.');
};

interface BodyError {
  readonly type?: string;
  readonly status?: number;
  readonly limit?: number;
}

/** Reports body-parser errors as JSON-RPC errors instead of HTML pages. */
const answerBadBody: ErrorRequestHandler = (error: unknown, _request, response, next) => {
  const { type = '', status = 500, limit } = (error ?? {}) as BodyError;
  if (type === 'entity.too.large') {
    const advice = 'Send less at once, or send a file with POST /v3/documents.';
    sendError(response, 413, -32600, `The message has more than the ${limit} bytes that are read. ${advice}`);
  } else if (type === 'entity.parse.failed')
    sendError(response, 400, -32700, 'Parse error: the body is not a JSON object or list in UTF-8.');
  else if (status >= 400 && status < 500) sendError(response, status, -32600, 'The body cannot be read.');
  else next(error);
};
