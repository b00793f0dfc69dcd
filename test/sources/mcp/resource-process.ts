import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { resourceServer } from './resource-server.ts';

serveStdio(() => resourceServer(process.env['RESOURCES'] ?? ''));
