import type { Principal } from '../access/principal.ts';
import type { Document } from '../documents/document.ts';
import { shortLine } from '../shared/text.ts';
import type { Backend } from './backend.ts';

const MAX_COMPLETIONS = 100;
const TIMEOUT_MS = 3_000;

/** Titles of documents that match the typed text, or ids if the text is the prefix of an id. Newest first. */
export async function completeTitles(backend: Backend, principal: Principal, typed: string): Promise<string[]> {
  const value = typed.trim().toLowerCase();
  const fitting = await fittingDocuments(backend, principal, typed);
  const isId = (id: string) => value.length >= 4 && id.startsWith(value);
  return [...new Set(fitting.map(({ id, title }) => (isId(id) ? id : shortLine(title))))];
}

async function fittingDocuments(backend: Backend, principal: Principal, typed: string): Promise<readonly Document[]> {
  const value = typed.trim().toLowerCase();
  const options = { signal: AbortSignal.timeout(TIMEOUT_MS) };
  const newest = await backend.documents({ principal, limit: MAX_COMPLETIONS }, options);
  const near = newest.items.filter(({ id, title }) => id.startsWith(value) || title.toLowerCase().includes(value));
  if (near.length > 0 || value === '') return near;
  const fitting = await backend.documents({ principal, text: typed, limit: MAX_COMPLETIONS }, options);
  return fitting.items;
}
