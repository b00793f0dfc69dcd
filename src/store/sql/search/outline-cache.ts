import type { Outline } from '../../../documents/document.ts';
import { LruMap } from '../../../shared/lru-map.ts';
import { type OutlineRow, toOutline } from '../outline-rows.ts';

/** An expression on a document `d` that changes whenever its text or its outline does. */
export const TEXT_STATE = "d.generation || ' ' || d.text_length || ' ' || d.updated_at";

/** Outlines of recently found documents by their identifiers, each with the state of the text it belongs to. */
export type OutlineCache = LruMap<string, { readonly state: string; readonly outline: Outline }>;

/** Pages and headings, of some 200 bytes each. */
const MAX_ENTRIES = 20_000;

export const createOutlineCache = (): OutlineCache =>
  new LruMap({
    max: MAX_ENTRIES,
    sizeOf: ({ outline: { pages, headings = [] } }) => 1 + pages.length + headings.length,
  });

/** Identifiers of documents, and the states of their texts. */
export type TextStates = ReadonlyMap<string, string>;

/** The outlines of documents in these states that are cached, and the identifiers of the other documents. */
export function cachedOutlines(
  cache: OutlineCache,
  states: TextStates,
): { readonly outlines: Map<string, Outline>; readonly missing: readonly string[] } {
  const outlines = new Map<string, Outline>();
  const missing: string[] = [];
  for (const [id, state] of states) {
    const known = cache.get(id);
    if (known?.state === state) outlines.set(id, known.outline);
    else missing.push(id);
  }
  return { outlines, missing };
}

/** Reads an outline and caches it. */
export function cacheOutline(
  cache: OutlineCache,
  states: TextStates,
  { id, ...row }: OutlineRow & { readonly id: string },
): Outline {
  const outline = toOutline(row);
  const state = states.get(id);
  if (state !== undefined) cache.set(id, { state, outline });
  return outline;
}
