import { setTimeout as sleep } from 'node:timers/promises';
import { isUuid } from '../documents/ids.ts';
import { ServiceError } from '../errors.ts';
import type { BackgroundWork, FinishProgress } from '../http/routes/finish.ts';
import type { IngestItem, IngestResult } from '../ingest/folders/folder-target.ts';
import type { ReindexProgress } from '../store/vector-spaces.ts';
import type { AnswerCheckRecord } from '../toolbox/answer-check-record.ts';
import { messagesFromWire, toWireAgentQuery } from './agent-wire.ts';
import type { AskEvent, Client } from './client.ts';
import { watchDocument } from './document-progress.ts';
import type { EnrichmentEstimate } from './from-wire.ts';
import {
  answerFromWire,
  chunksFromWire,
  completionFromWire,
  deltaFromWire,
  documentFromWire,
  receiptFromWire,
  searchFromWire,
  sourcedFromWire,
  statusFromWire,
  textFromWire,
  versionFromWire,
} from './from-wire.ts';
import { httpGraph } from './graph-client.ts';
import { toWireQuery } from './search-query.ts';
import type { ServerRequest } from './send-request.ts';
import type { ServerLink } from './server-link.ts';
import { httpSources } from './sources-client.ts';
import { httpUsers } from './users-client.ts';

interface Answer {
  readonly results: unknown;
  readonly total_entries?: number;
}

const COPY_WATCHED_EVERY_MS = 1_000;

type CallOptions = Partial<ServerRequest> & { readonly isRepeatable?: boolean };

/** The client over a server link. `server` is the address of the lasting server, if there is one. */
export async function httpClient(link: ServerLink): Promise<Client> {
  const { url, isLasting, servesPage = false } = await link.address();
  const call = async (method: ServerRequest['method'], path: string, options: CallOptions = {}) =>
    (await link.ask({ ...options, method, path })) as Answer;
  const stream = (path: string, body: unknown, signal: AbortSignal, isRepeatable = true) =>
    link.stream({ method: 'POST', path, body, signal, isRepeatable });
  /** Runs background work that a lasting server does without being asked. Returns false for a lasting server. */
  async function* finish(
    work: BackgroundWork,
    signal: AbortSignal,
  ): AsyncGenerator<{ readonly event: string; readonly data: FinishProgress }, boolean> {
    if ((await link.address()).isLasting) return false;
    for await (const { event, data } of stream(`/finish/${work}`, {}, signal)) {
      yield { event, data: data as FinishProgress };
    }
    return true;
  }
  const find = async (id: string) => {
    try {
      return documentFromWire((await call('GET', pathOf(id))).results);
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

  /** Reports the progress of copying the database, with which a backup begins, until the signal aborts. */
  async function watchCopy(
    until: AbortSignal,
    reportCopy: (bytes: { readonly done: number; readonly total: number }) => void,
  ): Promise<void> {
    try {
      for (;;) {
        await sleep(COPY_WATCHED_EVERY_MS, undefined, { signal: until });
        const { results } = await call('GET', '/system/backup/progress', { signal: until });
        const { copying } = results as { copying: { readonly done: number; readonly total: number } | null };
        if (copying !== null && !until.aborted) reportCopy(copying);
      }
    } catch {
      // Copying has ended, or the server reports no progress. The backup request itself reports failures.
    }
  }

  return {
    server: isLasting ? url : undefined,
    page: servesPage ? url : undefined,

    async ingest(item, signal, onProgress): Promise<IngestResult> {
      const { id, before } = await placeOf(item.source);
      const over = new AbortController();
      const until = AbortSignal.any([signal, over.signal]);
      const follow = () => link.stream({ method: 'GET', path: `${pathOf(id)}/events`, signal: until });
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
        if (!(error instanceof ServiceError) || error.code === 'unsupported_type' || isFatal(error)) throw error;
        return { outcome: 'failed', documentId: (await find(id)) === undefined ? null : id, reason: error.message };
      } finally {
        over.abort();
        await watching;
      }
    },

    async estimate(item, signal) {
      const { id } = await placeOf(item.source);
      const form = uploadForm(item, id);
      form.set('run_type', 'estimate');
      const { results } = await call('POST', '/documents', { body: form, signal, isRepeatable: true });
      return (results as { estimate?: EnrichmentEstimate | null }).estimate ?? null;
    },

    async documentOf(source) {
      const { before } = await placeOf(source);
      return before === undefined ? undefined : sourcedFromWire(before);
    },

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

    async search(query, signal) {
      const options = { body: toWireQuery(query), signal, isRepeatable: true };
      return searchFromWire((await call('POST', '/retrieval/search', options)).results);
    },

    async check(body, signal) {
      return (await call('POST', '/retrieval/check', { body, signal, isRepeatable: true }))
        .results as AnswerCheckRecord;
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
        yield* link.stream({
          method: 'POST',
          path: '/retrieval/agent',
          body: toWireAgentQuery(query),
          signal,
          onStart: (headers) => {
            run = headers['x-run-id'];
          },
        });
      } finally {
        // Disconnecting would end it too, but only after the grace period for resuming.
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
      return documentFromWire((await call('GET', `${pathOf(id)}${time}`)).results);
    },

    async chunks(id, { offset, limit }, asOf) {
      const time = asOf === undefined ? '' : `&as_of=${encodeURIComponent(asOf)}`;
      const path = `${pathOf(id)}/chunks?offset=${offset}&limit=${limit}${time}`;
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
      const path = `${pathOf(id)}/text?start=${start}&end=${end}${time}`;
      return textFromWire((await call('GET', path)).results);
    },

    async deleteDocument(id) {
      return receiptFromWire((await call('DELETE', pathOf(id))).results);
    },

    async versions(id, { offset, limit }) {
      const path = `${pathOf(id)}/versions?offset=${offset}&limit=${limit}`;
      const { results, total_entries: total = 0 } = await call('GET', path);
      return { versions: (results as unknown[]).map(versionFromWire), total };
    },

    async restoreVersion(id, version) {
      const path = `${pathOf(id)}/versions/${encodeURIComponent(version)}/restore`;
      return documentFromWire((await call('POST', path)).results);
    },

    async status() {
      const giveUpAt = performance.now() + SETTLE_MS;
      for (;;) {
        const { results } = await call('GET', '/system/status');
        const found = statusFromWire((results as { citewell: unknown }).citewell);
        // An index that was just opened is worth waiting for.
        if (found.index.state !== 'checking' || isLasting || performance.now() > giveUpAt) return found;
        await sleep(POLL_INTERVAL_MS);
      }
    },

    async retryFailed() {
      const { results } = await call('POST', '/documents/retry-failed?all_owners=true', { isRepeatable: true });
      for await (const _ of finish('queue', new AbortController().signal));
      return (results as { retried: number }).retried;
    },

    async backlog() {
      const { results } = await call('GET', '/system/status');
      const { ingestion } = statusFromWire((results as { citewell: unknown }).citewell);
      if (ingestion !== undefined) return ingestion;
      throw new ServiceError('not_configured', 'The running server is an earlier version. Restart it.');
    },

    async *reindex(request, signal) {
      let embedder = '';
      for await (const { event, data } of stream('/system/reindex', request, signal, !request.back)) {
        if (event === 'progress') yield data as ReindexProgress;
        if (event === 'reindexed') embedder = (data as { embedder: string }).embedder;
      }
      return embedder;
    },

    async backup(signal, onCopying) {
      const copied = new AbortController();
      const watching = watchCopy(copied.signal, onCopying);
      try {
        const { headers, content } = await link.download({ method: 'GET', path: '/system/backup', signal });
        return { bytes: Number(headers['x-backup-bytes']), content };
      } finally {
        copied.abort();
        await watching;
      }
    },

    async *summarise(signal) {
      for await (const { data } of finish('summaries', signal)) yield data;
    },

    async *learn(signal) {
      let outcome: 'nothing' | 'left' = 'nothing';
      for await (const { event, data } of finish('learning', signal)) {
        if (event === 'left') outcome = 'left';
        else yield data;
      }
      return outcome;
    },

    users: httpUsers(call),
    sources: httpSources(call),
    graph: httpGraph(call, stream, (signal) => finish('graph', signal)),

    close: link.close,
  };
}

function pathOf(id: string): string {
  if (isUuid(id)) return `/documents/${id}`;
  throw new ServiceError('invalid_request', `"${id}" is not an identifier of a document (a UUID).`);
}

const SETTLE_MS = 5_000;
const POLL_INTERVAL_MS = 50;

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
  // The command waits for the outcome, whatever the server does with other uploads.
  form.set('run_with_orchestration', 'false');
  if (item.isEnriched === true) {
    const enrichment = { chunk_enrichment_settings: { enable_chunk_enrichment: true } };
    form.set('ingestion_config', JSON.stringify(enrichment));
  }
  if (item.collections.length > 0) form.set('collections', JSON.stringify(item.collections));
  return form;
}
