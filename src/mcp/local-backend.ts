import type { Principal } from '../access/principal.ts';
import { isVisible, visibleFilter } from '../access/visible-filter.ts';
import type { Source } from '../citations/citation.ts';
import { createSourceList } from '../citations/source-list.ts';
import type { Document } from '../documents/document.ts';
import { ServiceError } from '../errors.ts';
import { EXTRACTIVE_MODEL } from '../models/default-models.ts';
import { defaultSearchSettings } from '../retrieval/search-settings.ts';
import { callTool } from '../toolbox/call-tool.ts';
import type { CorpusFacts } from '../toolbox/desk.ts';
import type { Tool } from '../toolbox/tool.ts';
import type { SubAnswer, ToolContext } from '../toolbox/tool-context.ts';
import type { Backend, CallOptions, ToolRequest } from './backend.ts';
import { createIntakeDesk } from './intake.ts';
import type { McpServices } from './mcp-services.ts';
import { createResearchDesk } from './research-desk.ts';

/**
 * Longest text of a result. Its twin in data repeats it with more quotation marks and names, and neither of the two may
 * exceed 40,000 characters.
 */
const MOST_CHARACTERS = 34_000;

/** Milliseconds after which a call is ended, under the minute that clients commonly wait. */
const LONGEST_CALL = 50_000;

/** Citewell in this process, as the MCP face asks it. */
export function createLocalBackend(services: McpServices): Backend & { close(): Promise<void> } {
  const { corpus, changes, tools } = services;
  const hurried = new Map(
    tools.map((tool) => [tool.name, { ...tool, deadline: Math.min(tool.deadline, LONGEST_CALL) }]),
  );
  const intake = createIntakeDesk(services);

  const facts = async ({ principal }: { readonly principal: Principal }): Promise<CorpusFacts> => {
    const visible = visibleFilter(principal);
    const [{ documents, chunks, owedToIndex }, status] = await Promise.all([corpus.stats(visible), services.status()]);
    const { embedder, model, index, hints } = status;
    return { documents, chunks, owedToIndex, embedder, model, index: `${index.kind}, ${index.state}`, hints };
  };

  const find = async (principal: Principal, id: string): Promise<Document> => {
    const document = await corpus.get(id.toLowerCase());
    if (document !== undefined && isVisible(document, principal)) return document;
    throw new ServiceError('not_found', `There is no document ${id}.`);
  };

  const contextOf = (request: ToolRequest, { signal, onProgress }: CallOptions): ToolContext => {
    const { principal } = request;
    const visible = visibleFilter(principal);
    const settings = { ...defaultSearchSettings, filter: visible };
    const sources = createSourceList();
    const hasModel = services.models.defaultName('reasoning') !== EXTRACTIVE_MODEL;
    return {
      retriever: services.retriever,
      library: corpus,
      ...(services.prompts && { prompts: services.prompts }),
      settings,
      visible,
      caller: principal.userId,
      cite: (source) => sources.add(source),
      ...(hasModel ? { reasoner: services.models.resolve(undefined, 'reasoning') } : {}),
      ask: (question, asking) => ask(services, { question, settings }, asking),
      ...services.web,
      ...(services.sandbox && { sandbox: services.sandbox }),
      intake: intake.of(principal),
      folders: request.folders,
      research: createResearchDesk(services, principal),
      facts: () => facts({ principal }),
      absentTools: request.absent,
      ...(onProgress === undefined ? {} : { progress: (message, done, total) => onProgress({ message, done, total }) }),
      transcript: [],
      maxCharacters: MOST_CHARACTERS,
      spend: () => {},
      signal,
    };
  };

  return {
    async call(request, options) {
      const tool: Tool | undefined = hurried.get(request.name);
      const call = { id: request.name, name: request.name, arguments: request.arguments as never };
      return callTool(call, tool === undefined ? [] : [tool], contextOf(request, options));
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

    facts,

    onChange: (listener) =>
      changes.subscribe(({ kind, documentId }) =>
        listener({ isListChanged: kind !== 'changed', ...(documentId === undefined ? {} : { documentId }) }),
      ),

    close: intake.close,
  };
}

interface Question {
  readonly question: string;
  readonly settings: ToolContext['settings'];
}

/** One search and one answer: what fits into the time that a caller waits. */
async function ask(
  { answerer }: McpServices,
  { question, settings }: Question,
  signal: AbortSignal,
): Promise<SubAnswer> {
  const request = { query: question, search: settings, generation: {}, includeTitle: true };
  for await (const event of answerer.answer(request, signal)) {
    if (event.type !== 'final_answer') continue;
    const { text, citations, model, usage } = event.answer;
    const sources = new Map<number, Source>(citations.map(({ number, source }) => [number, source]));
    return { text, sources, model, usage, isUntrusted: false };
  }
  throw new ServiceError('internal', 'The question was not answered.');
}
