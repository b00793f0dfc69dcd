// URIs of MCP resources.

export const INDEX_URI = 'kb://index';
export const DOCUMENT_TEMPLATE = 'kb://documents/{document_id}';
export const CHUNK_TEMPLATE = 'kb://documents/{document_id}/chunks/{chunk_id}';
/** A file made by a tool; the name is one encoded segment. */
export const FILE_TEMPLATE = 'citewell://run/{run_id}/{name}';

export const fileUri = (runId: string, name: string): string => `citewell://run/${runId}/${encodeURIComponent(name)}`;

export const chunkUri = (documentId: string, id: string): string => `kb://documents/${documentId}/chunks/${id}`;

export const documentUri = (id: string): string => `kb://documents/${id}`;

/** The identifier in the URI of a document or chunk, in lower case; undefined for other URIs. */
export const documentIdIn = (uri: string): string | undefined =>
  /^kb:\/\/documents\/([^/]+)/i.exec(uri)?.[1]?.toLowerCase();
