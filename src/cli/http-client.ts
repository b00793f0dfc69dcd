import { ServiceError } from '../errors.ts';
import { messagesFromWire, toWireAgentQuery } from './agent-wire.ts';
import type { AskEvent, Client, EnrichmentEstimate, IngestItem, IngestResult } from './client.ts';
import {
  answerFromWire,
  completionFromWire,
  deltaFromWire,
  documentFromWire,
  passagesFromWire,
  receiptFromWire,
  searchFromWire,
  sourcedFromWire,
  statusFromWire,
  textFromWire,
  toWireQuery,
  versionFromWire,
} from './from-wire.ts';
import { httpGraph } from './graph-client.ts';
import { askServer, type ServerRequest, streamFromServer } from './send-request.ts';
import { httpUsers } from './users-client.ts';

interface Answer {
  readonly results: unknown;
  readonly total_entries?: number;
}

/** Citewell in the server at that address, which may ask for the token of its `server.json`. */
export function httpClient(server: string, token?: string): Client {
  const call = async (method: ServerRequest['method'], path: string, options: Partial<ServerRequest> = {}) =>
    (await askServer(server, { ...options, method, path, token })) as Answer;
  const stream = (path: string, body: unknown, signal: AbortSignal) =>
    streamFromServer(server, { method: 'POST', path, body, signal, token });
  const find = async (id: string) => {
    try {
      return documentFromWire((await call('GET', `/documents/${encodeURIComponent(id)}`)).results);
    } catch (error) {
      if (error instanceof ServiceError && error.code === 'not_found') return undefined;
      throw error;
    }
  };

  const placeOf = async (source: string) => {
    const { results } = await call('GET', `/documents/of-source?source=${encodeURIComponent(source)}`);
    const { document_id: id, document } = results as { document_id: string; document: unknown };
    return { id, before: document === null ? undefined : documentFromWire(document) };
  };

  return {
    server,

    async ingest(item, signal): Promise<IngestResult> {
      const { id, before } = await placeOf(item.source);
      try {
        const { results } = await call('POST', '/documents', { body: uploadForm(item, id), signal });
        const { document_id: stored } = results as { document_id: string };
        if (stored !== id) return { outcome: 'duplicate', documentId: stored };
        if (before === undefined) return { outcome: 'ingested', documentId: id };
        const attempt = (await find(id))?.['ingestion_attempt_number'];
        const isSame = attempt === before['ingestion_attempt_number'];
        return { outcome: isSame ? 'unchanged' : 'replaced', documentId: id };
      } catch (error) {
        if (!(error instanceof ServiceError) || error.code === 'unsupported_type' || isFatal(error)) throw error;
        return { outcome: 'failed', documentId: (await find(id)) === undefined ? null : id, reason: error.message };
      }
    },

    async estimate(item, signal) {
      const { id } = await placeOf(item.source);
      const form = uploadForm(item, id);
      form.set('run_type', 'estimate');
      const { results } = await call('POST', '/documents', { body: form, signal });
      return (results as { estimate?: EnrichmentEstimate | null }).estimate ?? null;
    },

    async documentOf(source) {
      const { before } = await placeOf(source);
      return before === undefined ? undefined : sourcedFromWire(before);
    },

    async documentsBelow({ prefix, contentHash, after, limit }) {
      const query = new URLSearchParams({
        ...{ prefix, limit: String(limit) },
        ...(contentHash !== undefined && { content_hash: contentHash }),
        ...(after !== undefined && { after }),
      });
      const { results } = await call('GET', `/documents/by-source?${query}`);
      return (results as unknown[]).map(sourcedFromWire);
    },

    async relocate(id, { source, fileName }) {
      await call('PUT', `/documents/${id}/source`, { body: { source, file_name: fileName } });
    },

    async search(query, signal) {
      return searchFromWire((await call('POST', '/retrieval/search', { body: toWireQuery(query), signal })).results);
    },

    async complete({ prompt, model }, signal) {
      const body = {
        messages: [{ role: 'user', content: prompt }],
        generation_config: { stream: false, ...(model && { model }) },
      };
      return completionFromWire((await call('POST', '/retrieval/completion', { body, signal })).results);
    },

    async *ask({ model, ...query }, signal): AsyncGenerator<AskEvent, void> {
      const body = { ...toWireQuery(query), rag_generation_config: { stream: true, ...(model && { model }) } };
      for await (const { event, data } of stream('/retrieval/rag', body, signal)) {
        if (event === 'message') yield { type: 'text', text: deltaFromWire(data) };
        if (event === 'thinking') yield { type: 'thinking', text: deltaFromWire(data) };
        if (event === 'final_answer') yield { type: 'answer', answer: answerFromWire(data) };
      }
    },

    async *agent(query, signal) {
      let run: unknown;
      try {
        yield* streamFromServer(server, {
          method: 'POST',
          token,
          path: '/retrieval/agent',
          body: toWireAgentQuery(query),
          signal,
          onStart: (headers) => {
            run = headers['x-run-id'];
          },
        });
      } finally {
        // Leaving would end it too, but only after the time it waits for its reader to come back.
        if (signal.aborted && typeof run === 'string') {
          await call('POST', `/retrieval/runs/${run}/cancel`).catch(() => undefined);
        }
      }
    },

    async createConversation() {
      return ((await call('POST', '/conversations')).results as { id: string }).id;
    },

    async deleteConversation(id) {
      await call('DELETE', `/conversations/${encodeURIComponent(id)}`);
    },

    async conversation(id) {
      return messagesFromWire((await call('GET', `/conversations/${encodeURIComponent(id)}`)).results);
    },

    async documents({ offset, limit }) {
      const { results, total_entries: total = 0 } = await call('GET', `/documents?offset=${offset}&limit=${limit}`);
      return { documents: (results as unknown[]).map(documentFromWire), total };
    },

    async document(id, asOf) {
      const time = asOf === undefined ? '' : `?as_of=${encodeURIComponent(asOf)}`;
      return documentFromWire((await call('GET', `/documents/${encodeURIComponent(id)}${time}`)).results);
    },

    async chunks(id, { offset, limit }, asOf) {
      const time = asOf === undefined ? '' : `&as_of=${encodeURIComponent(asOf)}`;
      const path = `/documents/${encodeURIComponent(id)}/chunks?offset=${offset}&limit=${limit}${time}`;
      try {
        return passagesFromWire((await call('GET', path)).results);
      } catch (error) {
        // The interface says "not found" where there are none; the document itself was found before.
        if (error instanceof ServiceError && error.code === 'not_found') return [];
        throw error;
      }
    },

    async text(id, { start, end }, asOf) {
      const time = asOf === undefined ? '' : `&as_of=${encodeURIComponent(asOf)}`;
      const path = `/documents/${encodeURIComponent(id)}/text?start=${start}&end=${end}${time}`;
      return textFromWire((await call('GET', path)).results);
    },

    async deleteDocument(id) {
      return receiptFromWire((await call('DELETE', `/documents/${encodeURIComponent(id)}`)).results);
    },

    async versions(id, { offset, limit }) {
      const path = `/documents/${encodeURIComponent(id)}/versions?offset=${offset}&limit=${limit}`;
      const { results, total_entries: total = 0 } = await call('GET', path);
      return { versions: (results as unknown[]).map(versionFromWire), total };
    },

    async restoreVersion(id, version) {
      const path = `/documents/${encodeURIComponent(id)}/versions/${encodeURIComponent(version)}/restore`;
      return documentFromWire((await call('POST', path)).results);
    },

    async status() {
      const { results } = await call('GET', '/system/status');
      return statusFromWire((results as { citewell: unknown }).citewell);
    },

    async retryFailed() {
      const { results } = await call('POST', '/documents/retry-failed?all_owners=true');
      return (results as { retried: number }).retried;
    },

    async backlog() {
      const { results } = await call('GET', '/system/status');
      const { ingestion } = statusFromWire((results as { citewell: unknown }).citewell);
      if (ingestion !== undefined) return ingestion;
      throw new ServiceError('not_configured', 'The server that runs is of an earlier version. Start it anew.');
    },

    async *reindex(request, signal) {
      let embedder = '';
      for await (const { event, data } of stream('/system/reindex', request, signal)) {
        if (event === 'progress') yield data as { done: number; total: number };
        if (event === 'reindexed') embedder = (data as { embedder: string }).embedder;
      }
      return embedder;
    },

    async *summarise() {},

    // biome-ignore lint/correctness/useYield: there is nothing to tell.
    async *learn() {
      return 'nothing';
    },
    users: httpUsers(call),
    graph: httpGraph(call),

    async close() {},
  };
}

const isFatal = ({ code }: ServiceError): boolean =>
  code === 'store_failed' || code === 'embedding_mismatch' || code === 'not_configured' || code === 'cancelled';

function uploadForm(item: IngestItem, id: string): FormData {
  const form = new FormData();
  const type = item.mediaType === undefined ? {} : { type: item.mediaType };
  form.set('file', new Blob([Buffer.from(item.bytes)], type), item.fileName);
  form.set('id', id);
  form.set('metadata', JSON.stringify(item.metadata));
  form.set('source', item.source);
  form.set('replace', 'true');
  if (item.isEnriched === true) {
    const enrichment = { chunk_enrichment_settings: { enable_chunk_enrichment: true } };
    form.set('ingestion_config', JSON.stringify(enrichment));
  }
  if (item.collections.length > 0) form.set('collections', JSON.stringify(item.collections));
  return form;
}
