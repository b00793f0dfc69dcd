import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';

/** An MCP server over stdio whose resources are the files of the folder given as its argument. */
const PER_PAGE = 100;
const SCHEME = 'library://';
const folder = process.argv[2] ?? '';

serveStdio(() => {
  const server = new McpServer({ name: 'library', version: '1.0.0' }, { capabilities: { resources: {} } });
  server.server.setRequestHandler('resources/list', ({ params }) => {
    const names = readdirSync(folder).sort();
    const from = Number(params?.cursor ?? 0);
    const until = from + PER_PAGE;
    return {
      resources: names.slice(from, until).map((name) => ({
        uri: SCHEME + name,
        name,
        mimeType: 'text/markdown',
        annotations: { lastModified: statSync(join(folder, name)).mtime.toISOString() },
      })),
      ...(until < names.length && { nextCursor: String(until) }),
    };
  });
  server.server.setRequestHandler('resources/read', ({ params: { uri } }) => ({
    contents: [{ uri, mimeType: 'text/markdown', text: readFileSync(join(folder, uri.slice(SCHEME.length)), 'utf8') }],
  }));
  return server;
});
