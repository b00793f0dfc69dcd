import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server with OpenAI's API that writes endless text as fast as it is read. */
export interface FloodingModel {
  readonly baseUrl: string;
  close(): Promise<void>;
}

const PIECE = 'the harbour of the island '.repeat(40);

export async function startFloodingModel(): Promise<FloodingModel> {
  const server = createServer(async (request, response) => {
    request.resume();
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const closed = once(response, 'close');
    while (!response.destroyed) {
      const choices = [{ index: 0, delta: { content: PIECE }, finish_reason: null }];
      const chunk = { id: 'chatcmpl-flood', object: 'chat.completion.chunk', created: 1, model: 'flood', choices };
      if (!response.write(`data: ${JSON.stringify(chunk)}\n\n`)) await Promise.race([once(response, 'drain'), closed]);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}
