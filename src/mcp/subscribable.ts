import type { Principal } from '../access/principal.ts';
import type { Backend } from './backend.ts';
import { documentIdIn } from './document-uri.ts';

/** Maximum number of resources to which one connection may subscribe. */
export const MAX_SUBSCRIBED = 1_000;

interface Subscriber {
  readonly backend: Backend;
  readonly principal: Principal;
  readonly signal: AbortSignal;
}

/**
 * The URIs without those of documents that the subscriber cannot see: it would otherwise learn when another user's
 * document changes.
 */
export async function subscribable(
  uris: readonly string[],
  { backend, principal, signal }: Subscriber,
): Promise<readonly string[]> {
  const ids = new Set(uris.flatMap((uri) => documentIdIn(uri) ?? []));
  if (ids.size === 0) return uris;
  const visible = new Set(await backend.visible({ principal, ids: [...ids] }, { signal }));
  return uris.filter((uri) => {
    const id = documentIdIn(uri);
    return id === undefined || visible.has(id);
  });
}

const WITHIN_MS = 10_000;

/** Those of subscribed URIs whose documents the subscriber can no longer see; removed documents are none of them. */
export async function noLongerSubscribable(
  uris: readonly string[],
  removedIds: ReadonlySet<string>,
  subscriber: Omit<Subscriber, 'signal'>,
): Promise<readonly string[]> {
  const present = uris.filter((uri) => !removedIds.has(documentIdIn(uri) ?? ''));
  const still = new Set(await subscribable(present, { ...subscriber, signal: AbortSignal.timeout(WITHIN_MS) }));
  return present.filter((uri) => !still.has(uri));
}
