import { type McpServer, ProtocolError, ProtocolErrorCode, ResourceNotFoundError } from '@modelcontextprotocol/server';
import type { Principal } from '../access/principal.ts';
import type { Backend } from './backend.ts';
import { documentIdIn, documentUri, INDEX_URI } from './document-uri.ts';
import { type Changes, paceChanges } from './pace-changes.ts';
import { MAX_SUBSCRIBED, noLongerSubscribable, subscribable } from './subscribable.ts';

interface AnnouncedTo {
  readonly backend: Backend;
  readonly principal: Principal;
  readonly era: 'legacy' | 'modern';
}

/**
 * Notifies the client of a persistent connection about changes of the document list, and of the resources to which it
 * has subscribed, until the connection ends.
 */
export function announceChanges({ server }: McpServer, { backend, principal, era }: AnnouncedTo): void {
  const subscribed = new Set<string>();
  if (era === 'legacy') {
    server.setRequestHandler('resources/subscribe', async ({ params: { uri } }, { mcpReq: { signal } }) => {
      const [admitted] = await subscribable([uri], { backend, principal, signal });
      if (admitted === undefined) {
        throw new ResourceNotFoundError(uri, `There is no document ${uri}. Name one by its identifier.`);
      }
      if (subscribed.size >= MAX_SUBSCRIBED && !subscribed.has(uri)) {
        throw new ProtocolError(
          ProtocolErrorCode.InvalidParams,
          `This connection is subscribed to ${MAX_SUBSCRIBED} resources, which is the limit. Unsubscribe from others first.`,
        );
      }
      subscribed.add(uri);
      return {};
    });
    server.setRequestHandler('resources/unsubscribe', ({ params }) => {
      subscribed.delete(params.uri);
      return {};
    });
  }
  const concerned = async ({ documentIds, removedIds }: Changes): Promise<readonly string[]> => {
    // On modern connections the SDK filters by subscription.
    if (era === 'modern') return [INDEX_URI, ...documentIds.map(documentUri)];
    // Passages of the documents too, to which search results link.
    const changed = [...subscribed].filter((uri) => documentIds.includes(documentIdIn(uri) ?? ''));
    const lost = await noLongerSubscribable(changed, removedIds, { backend, principal });
    for (const uri of lost) subscribed.delete(uri);
    return [...subscribed].filter((uri) => uri === INDEX_URI || changed.includes(uri));
  };
  const ignore = () => {};
  const unsubscribe = paceChanges(backend, (changes) => {
    if (changes.isListChanged) server.sendResourceListChanged().catch(ignore);
    concerned(changes)
      .then((uris) => Promise.all(uris.map((uri) => server.sendResourceUpdated({ uri }))))
      .catch(ignore);
  });
  const { onclose } = server;
  server.onclose = () => {
    unsubscribe();
    onclose?.();
  };
}
