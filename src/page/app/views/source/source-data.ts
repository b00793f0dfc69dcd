import { call, callList, type Listed, RequestFailure } from '../../api/request.ts';
import type { Span, TextWindow } from './text-window.ts';

/** The used fields of a document record. */
export interface DocumentRecord {
  readonly id: string;
  readonly title: string;
  readonly version: string;
  readonly document_type: string;
  readonly file_name: string;
  readonly media_type: string;
  readonly source: string | null;
  readonly size_in_bytes: number;
  readonly text_length: number;
  readonly chunk_count: number;
  readonly ingestion_status: string;
  readonly failure: string | null;
  readonly summary: string | null;
  readonly created_at: string;
  readonly updated_at: string;
  readonly published_at: string | null;
  readonly content_hash: string;
  readonly metadata: Readonly<Record<string, unknown>>;
}

export interface VersionRecord {
  readonly version: string;
  readonly published_at: string;
  readonly replaced_at: string | null;
  readonly title: string;
  readonly text_length: number;
  readonly retired: { readonly at: string } | null;
}

export interface ChunkRecord {
  readonly id: string;
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly page: number | null;
  readonly heading_path: readonly string[];
}

export interface DifferenceRecord {
  readonly from: string;
  readonly to: string;
  readonly unchanged: number;
  readonly differences: readonly (Omit<ChunkRecord, 'id'> & { readonly kind: 'removed' | 'added' })[];
}

/** A document in one version, and the API path of that version. */
export interface Shown {
  readonly document: DocumentRecord;
  /** The newest version; may differ from the shown one. */
  readonly newest: string;
  /** Base path of text, chunks and file. */
  readonly path: string;
}

/** Loads the document, optionally in an earlier version, which requires permission to change it. */
export async function loadShown(id: string, version: string | undefined, signal: AbortSignal): Promise<Shown> {
  const path = `/v3/documents/${encodeURIComponent(id)}`;
  const document = await call<DocumentRecord>(path, { signal });
  if (version === undefined || version === document.version) return { document, newest: document.version, path };
  const then = `${path}/versions/${encodeURIComponent(version)}`;
  return { document: await call<DocumentRecord>(then, { signal }), newest: document.version, path: then };
}

/** A range of a text with the starts of its sections; the first may begin before the range. */
export interface LocatedText extends TextWindow {
  readonly headings: readonly { readonly start: number; readonly heading_path: readonly string[] }[];
}

export const loadText = (path: string, { start, end }: Span, signal: AbortSignal): Promise<LocatedText> =>
  call<LocatedText>(`${path}/text`, { query: { start, end }, signal });

export const loadChunks = (
  path: string,
  { offset, limit }: { readonly offset: number; readonly limit: number },
  signal: AbortSignal,
): Promise<Listed<ChunkRecord>> => callList<ChunkRecord>(`${path}/chunks`, { query: { offset, limit }, signal });

/** All stored versions, newest first; empty if the user has no access to them. */
export async function loadVersions(id: string, signal: AbortSignal): Promise<readonly VersionRecord[]> {
  try {
    const path = `/v3/documents/${encodeURIComponent(id)}/versions`;
    return (await callList<VersionRecord>(path, { query: { limit: 1000 }, signal })).items;
  } catch (error) {
    if (error instanceof RequestFailure && (error.status === 403 || error.status === 404)) return [];
    throw error;
  }
}

export const loadDifference = (id: string, from: string, to: string, signal: AbortSignal): Promise<DifferenceRecord> =>
  call<DifferenceRecord>(`/v3/documents/${encodeURIComponent(id)}/versions/${from}/diff/${to}`, { signal });
