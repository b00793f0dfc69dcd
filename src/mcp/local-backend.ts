import type { Principal } from '../access/principal.ts';
import { createSharedCollections } from '../access/shared-collections.ts';
import { isVisible, visibleFilter } from '../access/visible-filter.ts';
import type { SessionCitations } from '../citations/session-citations.ts';
import type { Document } from '../documents/document.ts';
import { allOf } from '../documents/filter.ts';
import { isUuid } from '../documents/ids.ts';
import { ServiceError } from '../errors.ts';
import { EXTRACTIVE_MODEL } from '../models/default-models.ts';
import { defaultSearchSettings } from '../retrieval/search-settings.ts';
import { visibleTo } from '../retrieval/visible-to.ts';
import { callTool } from '../toolbox/call-tool.ts';
import { findDocument } from '../toolbox/find-document.ts';
import type { Tool } from '../toolbox/tool.ts';
import type { ToolContext } from '../toolbox/tool-context.ts';
import type { CorpusFacts } from '../toolbox/tool-ports.ts';
import { answerQuestion } from './answer-question.ts';
import type { Backend, CallOptions, ToolRequest } from './backend.ts';
import { createCitationSessions } from './citation-sessions.ts';
import { createFolderSyncService } from './folder-sync-service.ts';
import { createMcpIngestion } from './mcp-ingestion.ts';
import type { McpServices } from './mcp-services.ts';
import { createResearchService } from './research-service.ts';

/**
 * Maximum length of a result's text. The structured data repeats it with JSON overhead, and neither may exceed 40,000
 * characters.
 */
const MAX_CHARACTERS = 34_000;

/** Milliseconds after which a call is aborted; clients commonly wait one minute. */
const MAX_CALL_MS = 50_000;

/** Backend that runs in this process. */
export function createLocalBackend(services: McpServices): Backend & { close(): Promise<void> } {
  const { corpus, changes, tools } = services;
  const limitedTools = new Map(
    tools.map((tool) => [tool.name, { ...tool, deadline: Math.min(tool.deadline, MAX_CALL_MS) }]),
  );
  const ingestion = createMcpIngestion(services);
  const citationsOf = createCitationSessions(services.sharedCitations);
  const collections = createSharedCollections(services);
  const folderSync = createFolderSyncService(services);

  const facts = async ({ principal }: { readonly principal: Principal }): Promise<CorpusFacts> => {
    const visible = visibleFilter(principal);
    const [{ documents, chunks, pendingIndexWrites }, status] = await Promise.all([
      corpus.stats(visible),
      services.status(),
    ]);
    const { embedder, model, index, hints } = status;
    return { documents, chunks, pendingIndexWrites, embedder, model, index: `${index.kind}, ${index.state}`, hints };
  };

  const find = async (principal: Principal, id: string): Promise<Document> => {
    const document = isUuid(id) ? await corpus.get(id.toLowerCase()) : undefined;
    if (document !== undefined && isVisible(document, principal)) return document;
    if (isUuid(id)) throw new ServiceError('not_found', `There is no document ${id}.`);
    return findDocument(id, { library: corpus, visible: visibleFilter(principal) });
  };

  const contextOf = (
    request: ToolRequest,
    { signal, onProgress }: CallOptions,
    { cite, cited }: SessionCitations,
  ): ToolContext => {
    const { principal } = request;
    const visible = visibleFilter(principal);
    const settings = visibleTo(principal, defaultSearchSettings);
    const hasModel = services.models.defaultName('reasoning') !== EXTRACTIVE_MODEL;
    return {
      traceTool: services.traceTool,
      report: (message, cause) => services.log.error({ err: cause }, message),
      retriever: services.retriever,
      library: corpus,
      ...(services.prompts && { prompts: services.prompts }),
      settings,
      visible,
      caller: principal.userId,
      ...(request.isOnlyClient && request.session !== undefined && { connection: request.session }),
      ...(request.pageOrigin !== undefined && { pageOrigin: request.pageOrigin }),
      cite,
      cited,
      ...(hasModel ? { reasoner: services.models.resolve(undefined, 'reasoning') } : {}),
      ask: (question, scope, askSignal) =>
        answerQuestion(services, { question, settings: { ...settings, filter: allOf(visible, scope) } }, askSignal),
      checkAnswer: (request, checkSignal) => services.checker.check(request, visible, checkSignal),
      ...services.web,
      ...(services.sandbox && { sandbox: services.sandbox }),
      keepFiles: (files) => services.madeFiles.keep(principal.userId, files),
      ingestion: ingestion.of(principal),
      collectionNamed: async (name) => (await collections.findByName(principal, name)).id,
      folders: request.folders,
      folderSync: folderSync.of(principal),
      ...(request.followed && { followed: request.followed }),
      research: createResearchService(services, principal),
      facts: () => facts({ principal }),
      absentTools: request.absent,
      ...(onProgress === undefined ? {} : { progress: (message, done, total) => onProgress({ message, done, total }) }),
      transcript: [],
      maxCharacters: MAX_CHARACTERS,
      usesExcerpts: true,
      spend: () => {},
      signal,
    };
  };

  return {
    async call(request, options) {
      const tool: Tool | undefined = limitedTools.get(request.name);
      const call = { id: request.name, name: request.name, arguments: request.arguments as never };
      const citations = await citationsOf({ userId: request.principal.userId, session: request.session });
      try {
        return await callTool(call, tool === undefined ? [] : [tool], contextOf(request, options, citations));
      } finally {
        await citations.keep();
      }
    },

    documents({ principal, text, limit }) {
      const filter = visibleFilter(principal);
      if (text === undefined) return corpus.list(filter, { offset: 0, limit });
      return corpus.searchDocuments({ text, filter, limit, offset: 0 });
    },

    async document({ principal, id }) {
      const document = await find(principal, id);
      const extracted = await corpus.textOf(document.id);
      if (extracted === undefined) {
        throw new ServiceError(
          'not_found',
          `"${document.title}" has no text: its ingestion is ${document.ingestionStatus}.`,
        );
      }
      return { document, text: extracted.text };
    },

    async chunk({ principal, documentId, id }) {
      const document = await find(principal, documentId);
      const [chunk] = await corpus.chunksById([id.toLowerCase()]);
      if (chunk === undefined || chunk.documentId !== document.id) {
        throw new ServiceError('not_found', `The document ${document.id} has no chunk ${id}.`);
      }
      return { document, chunk };
    },

    async file({ principal, runId, name }) {
      const { mediaType, bytes } = await services.madeFiles.get(principal.userId, runId, name);
      return { mediaType, base64: Buffer.from(bytes).toString('base64') };
    },

    async visible({ principal, ids }) {
      const named = { kind: 'in', field: 'id', values: ids.filter(isUuid) } as const;
      const page = { offset: 0, limit: ids.length };
      // Those of the principal are of the time when a connection was made.
      const collectionIds = await services.collections.idsOfMember(principal.userId);
      const { items } = await corpus.list(allOf(visibleFilter({ ...principal, collectionIds }), named), page);
      return items.map(({ id }) => id);
    },

    facts,

    onChange: (listener) =>
      changes.subscribe(({ kind, documentId }) =>
        listener({
          isListChanged: kind !== 'changed',
          ...(documentId !== undefined && { documentId }),
          ...(kind === 'removed' && { isRemoved: true }),
        }),
      ),

    async close() {
      await Promise.all([ingestion.close(), folderSync.close()]);
    },
  };
}
