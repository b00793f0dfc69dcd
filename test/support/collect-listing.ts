import type { Listed, RemoteItem, SourceConnector } from '../../src/sources/connector.ts';
import type { AddressRules } from '../../src/web/address-rules.ts';
import { createRemoteNetwork } from '../../src/web/remote-network.ts';

/** Everything that a connector lists. */
export async function collectListing(connector: SourceConnector, cursor?: string) {
  const listed: Listed[] = [];
  for await (const each of connector.list(cursor, AbortSignal.timeout(60_000))) listed.push(each);
  const end = listed.find((each) => each.kind === 'end');
  return {
    items: listed.filter((each): each is RemoteItem => each.kind === 'item'),
    removed: listed.flatMap((each) => (each.kind === 'removed' ? [each.key] : [])),
    unknown: listed.flatMap((each) => (each.kind === 'unknown' ? [each.key] : [])),
    failed: listed.flatMap((each) => (each.kind === 'failed' ? [each] : [])),
    end,
    cursor: end?.cursor,
  };
}

/** Each read has a time limit of its own: files of tests share this module. */
export const readOptions = {
  maxBytes: 1_000_000,
  get signal() {
    return AbortSignal.timeout(300_000);
  },
} as const;

const everywhere: AddressRules = { ports: new Set([80, 443]), open: [], allowPrivate: true };

/** A network that may also reach servers on this machine. */
export const openNetwork = () => createRemoteNetwork({ rules: everywhere });
