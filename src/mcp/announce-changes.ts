import type { McpServer } from '@modelcontextprotocol/server';
import type { Backend } from './backend.ts';
import { documentUri, INDEX_URI } from './document-uri.ts';

/**
 * Notifies the client of a persistent connection about changes of the document list, and of the resources to which it
 * has subscribed, until the connection ends.
 */
export function announceChanges({ server }: McpServer, backend: Backend, era: 'legacy' | 'modern'): void {
  const subscribed = new Set<string>();
  if (era === 'legacy') {
    server.setRequestHandler('resources/subscribe', ({ params }) => {
      subscribed.add(params.uri);
      return {};
    });
    server.setRequestHandler('resources/unsubscribe', ({ params }) => {
      subscribed.delete(params.uri);
      return {};
    });
  }
  // On modern connections the SDK filters by subscription.
  const isWanted = (uri: string) => era === 'modern' || subscribed.has(uri);
  const ignore = () => {};
  const unsubscribe = backend.onChange(({ documentId, isListChanged }) => {
    if (isListChanged) server.sendResourceListChanged().catch(ignore);
    const uris = [INDEX_URI, ...(documentId === undefined ? [] : [documentUri(documentId)])];
    for (const uri of uris.filter(isWanted)) server.sendResourceUpdated({ uri }).catch(ignore);
  });
  const { onclose } = server;
  server.onclose = () => {
    unsubscribe();
    onclose?.();
  };
}
