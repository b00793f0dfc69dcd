import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import express from 'express';
import { openAdapters } from '../../../src/adapters/open-adapters.ts';
import { offerFor } from '../../../src/cli/offer-tools.ts';
import { compose } from '../../../src/compose/compose.ts';
import { loadConfig } from '../../../src/config.ts';
import { asDefaultAdmin } from '../../../src/http/authenticate.ts';
import { listen } from '../../../src/http/serve.ts';
import { mcpOverHttp } from '../../../src/mcp/http.ts';
import { createLocalBackend } from '../../../src/mcp/local-backend.ts';
import { mcpServers } from '../../../src/mcp/server.ts';
import { addFixtures, fixtureOptions } from './fixtures.ts';

// The real server, with the suite's fixtures registered beside its own tools, until it is told to end.

const folder = await mkdtemp(join(tmpdir(), 'citewell-conformance-'));
const config = loadConfig({ env: {}, cwd: folder });
const services = await compose(await openAdapters(config)).start();
const backend = createLocalBackend(services);
const make = mcpServers({
  backend,
  offer: offerFor(config, { write: true }, []),
  folders: [],
  version: '0.0.0',
  options: fixtureOptions,
});
const mcp = mcpOverHttp({
  createServer: (principal) => {
    const server = make(principal);
    addFixtures(server);
    return server;
  },
  backend,
  authenticate: asDefaultAdmin,
  allowedHosts: ['localhost', '127.0.0.1'],
  allowedOrigins: ['localhost', '127.0.0.1'],
  onError: () => {},
});
const app = express();
app.use('/mcp', mcp.router);
const server = await listen(app, { host: '127.0.0.1', port: 0 });
console.log(`${server.url}/mcp`);

process.once('SIGTERM', async () => {
  await mcp.close();
  await server.close();
  await backend.close();
  await services.close();
  await rm(folder, { recursive: true, force: true });
});
