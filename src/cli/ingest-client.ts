import pLimit from 'p-limit';
import { ServiceError } from '../errors.ts';
import type { FolderTarget, IngestItem } from '../ingest/folders/folder-target.ts';
import type { UnchangedOptions } from '../ingest/skip-unchanged.ts';
import { withoutControls } from '../shared/text.ts';
import { type DocumentProgress, watchDocument } from './document-progress.ts';
import { documentPath } from './documents-client.ts';
import {
  type DocumentRecord,
  documentFromWire,
  type EnrichmentEstimate,
  sourcedFromWire,
  unchangedFromWire,
} from './from-wire.ts';
import type { ServerCalls } from './server-calls.ts';
import type { ServerLink } from './server-link.ts';

/** Ingestion of files and pages, identified by their source. Methods throw ServiceError. */
export interface IngestClient extends Omit<FolderTarget, 'server' | 'deleteDocuments'> {
  /** Ingests an item. `onProgress` is called for documents that take long. */
  ingest(
    item: IngestItem,
    signal: AbortSignal,
    onProgress?: (progress: DocumentProgress) => void,
  ): ReturnType<FolderTarget['ingest']>;
  readonly unchangedContents: UnchangedOptions['unchangedContents'];
  /** Estimated cost of enriching the item's chunks; null when no model is used. Ingests nothing. */
  estimate(item: IngestItem, signal: AbortSignal): Promise<EnrichmentEstimate | null>;
}

/** Requests for documents that are sent at the same time. */
const CONCURRENCY = 3;

export function httpIngest({ call }: Pick<ServerCalls, 'call'>, link: Pick<ServerLink, 'stream'>): IngestClient {
  const find = async (id: string): Promise<DocumentRecord | undefined> => {
    try {
      return documentFromWire((await call('GET', documentPath(id))).results);
    } catch (error) {
      if (error instanceof ServiceError && error.code === 'not_found') return undefined;
      throw error;
    }
  };

  /** The identifier of the document of a source, which may not exist yet. */
  const placeOf = async (source: string) => {
    const { results } = await call('GET', `/documents/of-source?source=${encodeURIComponent(source)}`);
    const { document_id: id, document } = results as { document_id: string; document: unknown };
    return { id, before: document === null ? undefined : documentFromWire(document) };
  };

  const limit = pLimit(CONCURRENCY);
  const documentOf = async (source: string) => {
    const { before } = await placeOf(source);
    return before === undefined ? undefined : sourcedFromWire(before);
  };

  return {
    async ingest(item, signal, onProgress) {
      const { id, before } = await placeOf(item.source);
      const over = new AbortController();
      const until = AbortSignal.any([signal, over.signal]);
      const follow = () => link.stream({ method: 'GET', path: `${documentPath(id)}/events`, signal: until });
      const watching = onProgress && watchDocument(follow, onProgress, until);
      try {
        const { results } = await call('POST', '/documents', {
          body: uploadForm(item, id),
          signal,
          isRepeatable: true,
        });
        const { document_id: stored } = results as { document_id: string };
        if (stored !== id) return { outcome: 'duplicate', documentId: stored };
        if (before === undefined) return { outcome: 'ingested', documentId: id };
        const attempt = (await find(id))?.['ingestion_attempt_number'];
        const isSame = attempt === before['ingestion_attempt_number'];
        return { outcome: isSame ? 'unchanged' : 'replaced', documentId: id };
      } catch (error) {
        if (!(error instanceof ServiceError) || isFatal(error)) throw error;
        if (error.code === 'unsupported_type') {
          if (before === undefined && (await find(id)) !== undefined) await call('DELETE', documentPath(id));
          throw error;
        }
        const documentId = (await find(id)) === undefined ? null : id;
        // Another command has submitted the same file meanwhile; it ingests the document and reports the outcome.
        if (error.code === 'conflict' && documentId !== null) return { outcome: 'duplicate', documentId };
        return { outcome: 'failed', documentId, reason: error.message };
      } finally {
        over.abort();
        await watching;
      }
    },

    async unchangedContents(sources, { metadata, collections }) {
      try {
        const body = { sources, metadata, collections };
        const { results } = await call('POST', '/documents/unchanged', { body, isRepeatable: true });
        return unchangedFromWire(results);
      } catch (error) {
        // A running server of an earlier version does not have this endpoint.
        if (error instanceof ServiceError && error.code === 'not_found') return [];
        throw error;
      }
    },

    async estimate(item, signal) {
      const { id } = await placeOf(item.source);
      const form = uploadForm(item, id);
      form.set('run_type', 'estimate');
      const { results } = await call('POST', '/documents', { body: form, signal, isRepeatable: true });
      return (results as { estimate?: EnrichmentEstimate | null }).estimate ?? null;
    },

    documentOf,
    documentsOf: (sources) => limit.map(sources, documentOf),

    async documentsBelow({ prefix, contentHash, after, limit }) {
      const query = new URLSearchParams({
        prefix,
        limit: String(limit),
        ...(contentHash !== undefined && { content_hash: contentHash }),
        ...(after !== undefined && { after }),
      });
      const { results } = await call('GET', `/documents/by-source?${query}`);
      return (results as unknown[]).map(sourcedFromWire);
    },

    async updateSource(id, { source, fileName }) {
      await call('PUT', `/documents/${id}/source`, { body: { source, file_name: fileName }, isRepeatable: true });
    },
  };
}

const isFatal = ({ code }: ServiceError): boolean =>
  code === 'store_failed' || code === 'embedding_mismatch' || code === 'not_configured' || code === 'cancelled';

function uploadForm(item: IngestItem, id: string): FormData {
  const form = new FormData();
  const type = item.mediaType === undefined ? {} : { type: item.mediaType };
  form.set('file', new Blob([Buffer.from(item.bytes)], type), withoutControls(item.fileName));
  form.set('id', id);
  form.set('metadata', JSON.stringify(item.metadata));
  form.set('source', item.source);
  form.set('replace', 'true');
  // The command waits for the outcome, whatever the server does with other uploads.
  form.set('run_with_orchestration', 'false');
  if (item.isEnriched === true) {
    const enrichment = { chunk_enrichment_settings: { enable_chunk_enrichment: true } };
    form.set('ingestion_config', JSON.stringify(enrichment));
  }
  if (item.collections.length > 0) form.set('collections', JSON.stringify(item.collections));
  return form;
}
