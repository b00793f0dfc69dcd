import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { strangeServer } from './strange-tools.ts';

serveStdio(() => strangeServer());
