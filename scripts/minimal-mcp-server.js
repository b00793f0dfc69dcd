import { McpServer } from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

// Shows measure-mcp-start.ts the cost of the SDK itself.
const server = new McpServer({ name: 'minimal', version: '1.0.0' });
server.registerTool(
  'search_file_knowledge',
  { description: 'Repeats the query.', inputSchema: z.object({ query: z.string() }) },
  async ({ query }) => ({ content: [{ type: 'text', text: query }] }),
);
await server.connect(new StdioServerTransport());
