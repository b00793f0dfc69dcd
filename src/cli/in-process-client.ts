import { setTimeout as sleep } from 'node:timers/promises';
import { defaultAdmin, type Principal } from '../access/principal.ts';
import { usableCollections } from '../access/usable-collections.ts';
import { visibleFilter } from '../access/visible-filter.ts';
import { allOf } from '../documents/filter.ts';
import { isUuid } from '../documents/ids.ts';
import { ServiceError } from '../errors.ts';
import { toAgentEvents } from '../http/wire/agent-events.ts';
import { agentRequest } from '../http/wire/agent-request.ts';
import { toChunkRecord } from '../http/wire/chunk-record.ts';
import { toMessageRecord } from '../http/wire/conversation-record.ts';
import { toReceipt } from '../http/wire/deletion-receipt.ts';
import { toDocumentRecord } from '../http/wire/document-record.ts';
import { toEstimateRecord } from '../http/wire/estimate-record.ts';
import { toRagEvents } from '../http/wire/rag-events.ts';
import { ragRequest } from '../http/wire/rag-request.ts';
import { searchRequest } from '../http/wire/search-request.ts';
import { toSearchResults } from '../http/wire/search-results.ts';
import { toBacklogRecord } from '../http/wire/task-record.ts';
import { toVersionRecord } from '../http/wire/version-record.ts';
import { documentOfSource } from '../ingest/document-of-source.ts';
import { usualContext } from '../ingest/enrich/enrichment-settings.ts';
import type { Submission } from '../ingest/ingestor.ts';
import type { Services } from '../services.ts';
import { messagesFromWire, toWireAgentQuery } from './agent-wire.ts';
import type { AskEvent, Client, IngestItem, IngestResult } from './client.ts';
import {
  answerFromWire,
  deltaFromWire,
  documentFromWire,
  passagesFromWire,
  receiptFromWire,
  searchFromWire,
  sourcedFromWire,
  statusFromWire,
  toWireQuery,
  versionFromWire,
} from './from-wire.ts';
import { inProcessGraph } from './graph-client.ts';
import { inProcessUsers } from './users-client.ts';

/** Learning from so many passages takes seconds; from more, a server does it beside its work. */
const LEARNED_FROM_AT_ONCE = 20_000;

/** Citewell in this process. Goes through the records of the HTTP interface, so that both clients show the same. */
export function inProcessClient(services: Services, principal: Principal = defaultAdmin): Client {
  const { corpus, ingestor, sources, retriever, answerer } = services;
  const find = async (id: string) => {
    if (!isUuid(id)) throw new ServiceError('invalid_request', `"${id}" is not an identifier of a document (a UUID).`);
    const document = await corpus.get(id);
    if (document === undefined) throw new ServiceError('not_found', `There is no document ${id}.`);
    return document;
  };

  const toSubmission = (item: IngestItem, place: Pick<Submission, 'collectionIds'> & { id: string }): Submission => ({
    content: {
      kind: 'file',
      bytes: item.bytes,
      fileName: item.fileName,
      ...(item.mediaType !== undefined && { mediaType: item.mediaType }),
    },
    ownerId: principal.userId,
    ...place,
    metadata: item.metadata,
    source: item.source,
    settings: item.isEnriched === true ? { context: usualContext } : {},
    replace: true,
  });

  return {
    server: undefined,

    async estimate(item, signal) {
      const { id } = await documentOfSource(item.source, principal.userId, { corpus, sources });
      const estimate = await ingestor.estimate(toSubmission(item, { id, collectionIds: [] }), signal);
      return estimate && toEstimateRecord(estimate);
    },

    async ingest(item, signal): Promise<IngestResult> {
      const { id, before } = await documentOfSource(item.source, principal.userId, { corpus, sources });
      const collectionIds = await usableCollections(services.collections, principal, item.collections);
      const accepted = await ingestor.submit(toSubmission(item, { id, collectionIds }));
      if (accepted.kind !== 'accepted') return { outcome: accepted.kind, documentId: accepted.document.id };
      for await (const event of ingestor.run(id, signal)) {
        if (event.type === 'failed') return { outcome: 'failed', documentId: id, reason: event.error.message };
      }
      return { outcome: before === undefined ? 'ingested' : 'replaced', documentId: id };
    },

    async documentOf(source) {
      const { before } = await documentOfSource(source, principal.userId, { corpus, sources });
      return before === undefined ? undefined : sourcedFromWire(toDocumentRecord(before));
    },

    async documentsBelow(query) {
      const found = await sources.below(principal.userId, query);
      return found.map((document) => sourcedFromWire(toDocumentRecord(document)));
    },

    async relocate(id, place) {
      await sources.relocate(id, place);
    },

    async search(query, signal) {
      const request = searchRequest.parse(toWireQuery(query));
      const outcome = await retriever.search(request.query, request.settings, signal);
      return searchFromWire(toSearchResults(outcome, request.query, request.detail));
    },

    async complete({ prompt, model }, signal) {
      const messages = [{ role: 'user' as const, text: prompt }];
      let text = '';
      const events = services.models.resolve(model, 'quality').stream({ messages, tools: [], config: {}, signal });
      for await (const event of events) if (event.type === 'text') text += event.text;
      return text;
    },

    async *ask({ model, ...query }, signal): AsyncGenerator<AskEvent, void> {
      const { request, detail } = ragRequest.parse({
        ...toWireQuery(query),
        ...(model && { rag_generation_config: { model } }),
      });
      for await (const { event, data } of toRagEvents(answerer.answer(request, signal), request.query, detail)) {
        if (event === 'message') yield { type: 'text', text: deltaFromWire(data) };
        if (event === 'thinking') yield { type: 'thinking', text: deltaFromWire(data) };
        if (event === 'final_answer') yield { type: 'answer', answer: answerFromWire(data) };
      }
    },

    async *agent(query, signal) {
      const { request, detail } = agentRequest.parse(toWireAgentQuery(query));
      const filter = allOf(visibleFilter(principal), request.search.filter);
      const run = await services.agent.prepare({ ...request, principal, search: { ...request.search, filter } });
      const context = { query: query.query, kind: request.search.kind ?? ('hybrid' as const), detail };
      yield* toAgentEvents(run.events(signal), context);
    },

    async createConversation() {
      return (await services.conversations.create(principal, null)).id;
    },

    async deleteConversation(id) {
      await services.conversations.remove(principal, id);
    },

    async conversation(id) {
      return messagesFromWire((await services.conversations.messages(principal, id)).map(toMessageRecord));
    },

    async documents(page) {
      const { items, total } = await corpus.list(visibleFilter(principal), page);
      return { documents: items.map((document) => documentFromWire(toDocumentRecord(document))), total };
    },

    async document(id, asOf) {
      const document = await find(id);
      const then = asOf === undefined ? document : await corpus.at(asOf).get(document.id);
      if (then !== undefined) return documentFromWire(toDocumentRecord(then));
      throw new ServiceError('not_found', `Document ${id} was not there at ${asOf}, or is not kept as it was then.`);
    },

    async chunks(id, page, asOf) {
      const { items } = await (asOf === undefined ? corpus : corpus.at(asOf)).chunksOf(id, page);
      return passagesFromWire(items.map((chunk) => toChunkRecord(chunk, undefined)));
    },

    async text(id, { start, end }, asOf) {
      const { id: found } = await find(id);
      const view = asOf === undefined ? corpus : corpus.at(asOf);
      return (await view.textOf(found))?.text.slice(start, end) ?? '';
    },

    async deleteDocument(id) {
      const { id: found } = await find(id);
      const receipt = await corpus.remove({ kind: 'compare', field: 'document_id', op: 'eq', value: found });
      return receiptFromWire(toReceipt(receipt).results);
    },

    async versions(id, page) {
      const document = await find(id);
      const { items, total } = await services.versions.list(document.id, page);
      return { versions: items.map((item) => versionFromWire(toVersionRecord(document.id, item))), total };
    },

    async restoreVersion(id, version) {
      const { id: found } = await find(id);
      return documentFromWire(toDocumentRecord(await services.versions.restore(found, version)));
    },

    async status() {
      const looks = [settledStatus(services), corpus.stats(), services.ingestions.backlog()] as const;
      const [status, { documents, chunks, owedToIndex }, backlog] = await Promise.all(looks);
      const ingestion = toBacklogRecord(backlog);
      return statusFromWire({
        ...status,
        embedder_reason: status.embedderReason,
        documents,
        chunks,
        owed_to_index: owedToIndex,
        ingestion,
      });
    },

    retryFailed: () => services.ingestions.retryFailed(visibleFilter(principal)),

    async backlog() {
      services.ingestions.nudge();
      return toBacklogRecord(await services.ingestions.backlog(visibleFilter(principal)));
    },

    async *reindex(request, signal) {
      const steps = services.reindex(request, signal);
      for (;;) {
        const step = await steps.next();
        if (step.done) return step.value.embedder;
        yield step.value;
      }
    },

    async *summarise(signal) {
      let failed = 0;
      for await (const { done, total, outcome } of services.summaries?.run(signal) ?? []) {
        if (outcome === 'failed') failed++;
        yield { done, total, failed };
      }
    },

    async *learn(signal) {
      const { learner } = services;
      if (!(await learner.decide()).isDue) return 'nothing';
      if ((await corpus.stats()).chunks > LEARNED_FROM_AT_ONCE) return 'left';
      yield* learner.settle(signal);
      return 'nothing';
    },

    users: inProcessUsers(services, principal),
    graph: inProcessGraph(services, principal),

    close: () => services.close(),
  };
}

const SETTLE_MS = 5_000;
const ASK_AGAIN_MS = 50;

/** The index was opened a moment ago: what it is found to be is worth waiting for. */
async function settledStatus(services: Services) {
  const giveUpAt = performance.now() + SETTLE_MS;
  for (;;) {
    const status = await services.status();
    if (status.index.state !== 'checking' || performance.now() > giveUpAt) return status;
    await sleep(ASK_AGAIN_MS);
  }
}
