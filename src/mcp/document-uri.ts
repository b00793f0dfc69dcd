// URIs of MCP resources.

export const INDEX_URI = 'kb://index';
export const DOCUMENT_TEMPLATE = 'kb://documents/{document_id}';
export const CHUNK_TEMPLATE = 'kb://documents/{document_id}/chunks/{chunk_id}';

export const chunkUri = (documentId: string, id: string): string => `kb://documents/${documentId}/chunks/${id}`;

export const documentUri = (id: string): string => `kb://documents/${id}`;
