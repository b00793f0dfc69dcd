import type { RemoteItem } from '../../sources/connector.ts';

export const MAX_KEY_BYTES = 1_000;
const MAX_URI = 4_000;

/** Why the key of an item cannot identify it; undefined if it can. */
export function nameProblem({ key }: RemoteItem): string | undefined {
  if (Buffer.byteLength(key) > MAX_KEY_BYTES) return 'Its name is too long.';
  return key === '' || /\p{Cc}/u.test(key) ? 'Its name is empty or contains control characters.' : undefined;
}

/** Why a listed item cannot be used; undefined if it can. */
export function itemProblem(item: RemoteItem): string | undefined {
  const { uri, version } = item;
  if (uri.length > MAX_URI) return 'Its name is too long.';
  if (version === '') return 'The source gave no version for this item.';
  return nameProblem(item) ?? (URL.canParse(uri) ? undefined : 'Its URI is not a valid URL.');
}
