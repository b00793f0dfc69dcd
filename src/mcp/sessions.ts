import { randomUUID } from 'node:crypto';
import { NodeStreamableHTTPServerTransport } from '@modelcontextprotocol/node';
import type { Request, Response } from 'express';
import type { Principal } from '../access/principal.ts';
import { announceChanges } from './announce-changes.ts';
import type { Backend } from './backend.ts';
import { createEventStore } from './event-store.ts';
import { type FollowedRequests, followRequests } from './follow-requests.ts';
import { sendError } from './send-error.ts';
import type { CreateMcpServer, McpConnection } from './server.ts';

export interface SessionLimits {
  /** Maximum number of open sessions; the longest idle one is closed to make room. */
  readonly maxSessions: number;
  /** Maximum number of open sessions per principal. */
  readonly maxSessionsPerUser: number;
  /** Milliseconds of idleness after which a session is closed. */
  readonly idleMs: number;
}

interface SessionParts {
  readonly createServer: CreateMcpServer;
  readonly backend: Backend;
  readonly limits: SessionLimits;
  readonly onError: (error: Error) => void;
}

interface Session {
  readonly userId: string;
  /** Updated with each request, because access rights may change. */
  readonly principal: Principal;
  readonly transport: NodeStreamableHTTPServerTransport;
  readonly requests: FollowedRequests;
  /** Number of open requests and streams. */
  open: number;
  usedAt: number;
}

export interface Sessions {
  /** `connection` sets the tools and page origin of the session that this request starts. */
  handle(request: Request, response: Response, principal: Principal, connection?: McpConnection): Promise<void>;
  close(): Promise<void>;
}

const SESSION_HEADER = 'mcp-session-id';
const CHECK_INTERVAL_MS = 60_000;
const RETRY_AFTER = 1_000;

/** Sessions for protocol revisions before 2026-07-28, each with its own server. */
export function createSessions({ createServer, backend, limits, onError }: SessionParts): Sessions {
  const sessions = new Map<string, Session>();
  const end = (id: string) => {
    const session = sessions.get(id);
    sessions.delete(id);
    session?.transport.close().catch(onError);
  };
  const expire = setInterval(
    () => {
      const oldest = performance.now() - limits.idleMs;
      for (const [id, { open, usedAt }] of sessions) if (open === 0 && usedAt < oldest) end(id);
    },
    Math.min(CHECK_INTERVAL_MS, limits.idleMs),
  ).unref();

  const evictSession = (userId: string) => {
    const own = [...sessions].filter(([, session]) => session.userId === userId);
    const candidates =
      own.length >= limits.maxSessionsPerUser ? own : sessions.size >= limits.maxSessions ? [...sessions] : [];
    const [leastActive] = candidates.sort(
      ([, a], [, b]) => Math.sign(a.open) - Math.sign(b.open) || a.usedAt - b.usedAt,
    );
    if (leastActive !== undefined) end(leastActive[0]);
  };

  async function begin(principal: Principal, connection: McpConnection): Promise<Session> {
    evictSession(principal.userId);
    const transport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      eventStore: createEventStore(),
      retryInterval: RETRY_AFTER,
      onsessioninitialized: (id) => {
        sessions.set(id, session);
      },
      onsessionclosed: (id) => {
        sessions.delete(id);
      },
    });
    const own = { ...principal };
    const server = createServer(own, { ...connection, session: randomUUID() });
    announceChanges(server, { backend, principal: own, era: 'legacy' });
    await server.connect(transport);
    const session: Session = {
      userId: own.userId,
      principal: own,
      transport,
      requests: followRequests(transport, onError),
      open: 0,
      usedAt: performance.now(),
    };
    return session;
  }

  return {
    async handle(request, response, principal, connection = {}) {
      const id = request.get(SESSION_HEADER);
      // Foreign and unknown sessions are indistinguishable to the caller.
      const known = id === undefined ? undefined : sessions.get(id);
      if (id !== undefined && known?.userId !== principal.userId) {
        return sendError(response, 404, -32001, 'There is no such session; initialize a new one.');
      }
      if (known === undefined && !isInitialize(request.body)) {
        const message = 'Bad Request: send initialize first, and its Mcp-Session-Id with every later request.';
        return sendError(response, 400, -32000, message);
      }
      const session = known ?? (await begin(principal, connection));
      const repeated = session.requests.begin(request.body);
      if (repeated !== undefined) {
        if (known === undefined) await session.transport.close();
        const message = `Invalid Request: another request has the id ${JSON.stringify(repeated)}; give each its own.`;
        return sendError(response, 400, -32600, message);
      }
      Object.assign(session.principal, principal);
      session.open++;
      response.once('close', () => {
        session.requests.end(request.body);
        session.open--;
        session.usedAt = performance.now();
      });
      await session.transport.handleRequest(request, response, request.body);
      // The transport has refused initialize, so that no request can reach this session.
      if (session.transport.sessionId === undefined) await session.transport.close();
    },

    async close() {
      clearInterval(expire);
      await Promise.all([...sessions.values()].map(({ transport }) => transport.close()));
      sessions.clear();
    },
  };
}

const isInitialize = (body: unknown): boolean =>
  [body].flat().some((message) => (message as { readonly method?: unknown } | null)?.method === 'initialize');
