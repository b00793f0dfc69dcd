import { type DocumentOrder, newestFirst } from '../documents/document-order.ts';
import { isUuid } from '../documents/ids.ts';
import { ServiceError } from '../errors.ts';
import {
  type ChunkRecord,
  chunksFromWire,
  type DeletionRecord,
  type DocumentRecord,
  documentFromWire,
  receiptFromWire,
  textFromWire,
  type VersionRecord,
  versionFromWire,
} from './from-wire.ts';
import type { ServerCalls } from './server-calls.ts';

interface Page {
  readonly offset: number;
  readonly limit: number;
}

interface DocumentListPage extends Page {
  readonly order?: DocumentOrder;
}

/** The documents of the corpus and their versions. Methods throw ServiceError. */
export interface DocumentsClient {
  documents(page: DocumentListPage): Promise<{ readonly documents: readonly DocumentRecord[]; readonly total: number }>;
  /** The document as of a time, or now. */
  document(id: string, asOf?: string): Promise<DocumentRecord>;
  /** In document order. */
  chunks(documentId: string, page: Page, asOf?: string): Promise<readonly ChunkRecord[]>;
  /** Part of a document's extracted text, as of a time or now. */
  text(id: string, range: { readonly start: number; readonly end: number }, asOf?: string): Promise<string>;
  deleteDocument(id: string): Promise<DeletionRecord>;
  /** Deletes those of up to 1,000 documents that exist. */
  deleteDocuments(ids: readonly string[]): Promise<void>;
  /** Newest first. */
  versions(id: string, page: Page): Promise<{ readonly versions: readonly VersionRecord[]; readonly total: number }>;
  restoreVersion(id: string, version: string): Promise<DocumentRecord>;
}

export function httpDocuments({ call }: Pick<ServerCalls, 'call'>): DocumentsClient {
  return {
    async documents({ offset, limit, order: { by, direction } = newestFirst }) {
      const path = `/documents?offset=${offset}&limit=${limit}&sort_by=${by}&sort_order=${direction}`;
      const { results, total_entries: total = 0 } = await call('GET', path);
      return { documents: (results as unknown[]).map(documentFromWire), total };
    },

    async document(id, asOf) {
      const time = asOf === undefined ? '' : `?as_of=${encodeURIComponent(asOf)}`;
      return documentFromWire((await call('GET', `${documentPath(id)}${time}`)).results);
    },

    async chunks(id, { offset, limit }, asOf) {
      const time = asOf === undefined ? '' : `&as_of=${encodeURIComponent(asOf)}`;
      const path = `${documentPath(id)}/chunks?offset=${offset}&limit=${limit}${time}`;
      try {
        return chunksFromWire((await call('GET', path)).results);
      } catch (error) {
        // The API answers "not found" for an existing document without chunks.
        if (error instanceof ServiceError && error.code === 'not_found') return [];
        throw error;
      }
    },

    async text(id, { start, end }, asOf) {
      const time = asOf === undefined ? '' : `&as_of=${encodeURIComponent(asOf)}`;
      const path = `${documentPath(id)}/text?start=${start}&end=${end}${time}`;
      return textFromWire((await call('GET', path)).results);
    },

    async deleteDocument(id) {
      return receiptFromWire((await call('DELETE', documentPath(id))).results);
    },

    async deleteDocuments(ids) {
      await call('POST', '/documents/delete', { body: { document_ids: ids } });
    },

    async versions(id, { offset, limit }) {
      const path = `${documentPath(id)}/versions?offset=${offset}&limit=${limit}`;
      const { results, total_entries: total = 0 } = await call('GET', path);
      return { versions: (results as unknown[]).map(versionFromWire), total };
    },

    async restoreVersion(id, version) {
      const path = `${documentPath(id)}/versions/${encodeURIComponent(version)}/restore`;
      return documentFromWire((await call('POST', path)).results);
    },
  };
}

/** Path of a document below `/v3`. Throws `invalid_request` if the identifier is not a UUID. */
export function documentPath(id: string): string {
  if (isUuid(id)) return `/documents/${id}`;
  throw new ServiceError('invalid_request', `"${id}" is not an identifier of a document (a UUID).`);
}
