import type { Principal } from '../access/principal.ts';
import { isUuid } from '../documents/ids.ts';
import type { Backend } from './backend.ts';

const MOST = 100;
const PATIENCE = 3_000;

/** Identifiers of documents that begin like this, or whose title does or fits; newest first. */
export async function completeIds(backend: Backend, principal: Principal, typed: string): Promise<string[]> {
  const value = typed.trim().toLowerCase();
  if (isUuid(value)) return [value];
  const options = { signal: AbortSignal.timeout(PATIENCE) };
  const newest = await backend.documents({ principal, limit: MOST }, options);
  const near = newest.items.filter(({ id, title }) => id.startsWith(value) || title.toLowerCase().includes(value));
  if (near.length > 0 || value === '') return near.map(({ id }) => id);
  const fitting = await backend.documents({ principal, text: typed, limit: MOST }, options);
  return fitting.items.map(({ id }) => id);
}
