import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { strangeServer } from './hostile-tools.ts';

serveStdio(() => strangeServer());
