import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { createAuthenticator } from '../../src/access/authenticator.ts';
import { openAdapters } from '../../src/adapters/open-adapters.ts';
import { offerFor } from '../../src/cli/offer-tools.ts';
import { openServer } from '../../src/cli/open-server.ts';
import { compose } from '../../src/compose/compose.ts';
import { loadConfig } from '../../src/config.ts';
import { createApp } from '../../src/http/app.ts';
import type { JsonSchema } from '../../src/http/openapi/json-schema.ts';
import { listen } from '../../src/http/serve.ts';
import { type Route, watchMounts } from '../../test/http/support/watch-mounts.ts';
import { member } from '../kill-test/api.ts';
import type { OfferedTool } from './draft-mcp.ts';
import type { AccessMode } from './request.ts';

/** A relevant line of the service's log. */
export interface LoggedLine {
  readonly level: number;
  readonly requestId: string | undefined;
  readonly text: string;
}

export interface Subject {
  readonly urls: Readonly<Record<AccessMode, string>>;
  readonly dataFolder: string;
  readonly routes: readonly Route[];
  readonly tools: readonly OfferedTool[];
  /** Errors logged since the last call. */
  takeErrors(): readonly LoggedLine[];
  /** Resolves when no work is pending. */
  quiet(): Promise<void>;
  close(): Promise<void>;
}

const ERROR = 50;
const QUIET_WITHIN_MS = 120_000;

/**
 * Starts the complete service in this process, ignoring keys and settings of the environment: one server without
 * authentication, and one with it on the same data.
 */
export async function startSubject(): Promise<Subject> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'citewell-fuzz-')));
  const errors: LoggedLine[] = [];
  const log = pino(
    { level: 'warn' },
    {
      write(line) {
        const entry: unknown = JSON.parse(line);
        const requestId = member(entry, 'requestId');
        const level = Number(member(entry, 'level'));
        if (level >= ERROR)
          errors.push({ level, requestId: typeof requestId === 'string' ? requestId : undefined, text: line });
      },
    },
  );
  const config = loadConfig({ env: { CITEWELL_SANDBOX: 'off' }, cwd: folder });
  const offer = offerFor(config, {}, []);
  const watch = watchMounts();
  const services = await compose(await openAdapters(config, { log })).start({ resumes: true });
  const server = await openServer({
    services,
    config,
    address: { host: '127.0.0.1', port: 0 },
    offer,
    folders: [],
    role: 'server',
  });
  const authenticate = createAuthenticator({
    keys: [],
    localToken: () => undefined,
    userAuthenticator: services.accounts.userAuthenticator,
  });
  const guarded = await listen(createApp(services, authenticate), { host: '127.0.0.1', port: 0 });
  const routes = await watch.routesOf();
  watch.stop();
  return {
    urls: { open: server.url, guarded: guarded.url },
    dataFolder: config.dataDir,
    routes,
    tools: offer.tools.map(({ name, inputSchema }) => ({ name, inputSchema: inputSchema as JsonSchema })),
    takeErrors: () => errors.splice(0),
    async quiet() {
      const until = Date.now() + QUIET_WITHIN_MS;
      for (;;) {
        const { graph, index } = await services.status();
        const { pendingIndexWrites } = await services.corpus.stats();
        const { waiting = 0 } = graph ?? {};
        const { queued, retrying, running } = await services.queue.backlog();
        const busy = waiting + queued - retrying + running;
        if (busy === 0 && pendingIndexWrites === 0 && index.state === 'ready') return;
        if (Date.now() > until)
          throw new Error(
            `It does not come to rest: ${busy} documents are waiting or worked on, ${pendingIndexWrites} writes to the index are pending; it is ${index.state}.`,
          );
        await new Promise((resolve) => setTimeout(resolve, 200));
      }
    },
    async close() {
      await guarded.close();
      await server.close();
      await services.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
