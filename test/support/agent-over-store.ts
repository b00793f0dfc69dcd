import { defaultAdmin } from '../../src/access/principal.ts';
import type { Agent, AgentRequest } from '../../src/agent/agent.ts';
import type { AgentAnswer, AgentEvent } from '../../src/agent/agent-event.ts';
import { plainRequest } from '../../src/agent/plain-request.ts';
import type { Adapters } from '../../src/compose/adapters.ts';
import { compose } from '../../src/compose/compose.ts';
import type { Settings } from '../../src/compose/settings.ts';
import type { Conversations } from '../../src/conversations/conversations.ts';
import type { Document, PageSpan } from '../../src/documents/document.ts';
import type { EmbeddingModel } from '../../src/embeddings/embedding-model.ts';
import type { ModelRegistry } from '../../src/models/model.ts';
import { listPrices } from '../../src/models/prices.ts';
import { createRetriever } from '../../src/retrieval/create-retriever.ts';
import type { Retriever } from '../../src/retrieval/retriever.ts';
import type { NewDocument } from '../../src/store/corpus.ts';
import type { VectorSpaceName } from '../../src/store/vector-index.ts';
import { adaptersOver, type OpenStore, onlyEmbedder, testSettings } from './adapters.ts';
import { newDocument } from './new-document.ts';

/** The vector space of `letters`. */
export const lettersSpace: VectorSpaceName = { embedder: 'test/angles', version: '1', dimensions: 4 };

/**
 * Counts letters in four classes, so that texts with similar letters have similar vectors. Gives the retriever a
 * semantic leg that always returns hits.
 */
const letters: EmbeddingModel = {
  name: 'test/angles',
  isLexical: true,
  space: async () => lettersSpace,
  embed: async (texts) => texts.map(vectorOf),
};

function vectorOf(text: string): Float32Array {
  const counts = [1, 1, 1, 1];
  for (const char of text.toLowerCase()) {
    const place = (char.codePointAt(0) ?? 0) % 4;
    counts[place] = (counts[place] ?? 0) + 1;
  }
  const length = Math.hypot(...counts);
  return Float32Array.from(counts, (count) => count / length);
}

export const retrieverOver = ({ chunks }: Pick<OpenStore, 'chunks'>): Retriever =>
  createRetriever({ chunks, embedder: letters });

export interface Published extends Partial<NewDocument> {
  readonly summary?: string;
  readonly pages?: readonly PageSpan[];
  readonly headings?: readonly string[];
}

/** Adds a document whose text is these chunks, separated by blank lines. */
export async function addDocument(
  { corpus }: Pick<OpenStore, 'corpus'>,
  name: string,
  texts: readonly string[],
  { summary, pages = [], headings = [], ...change }: Published = {},
): Promise<Document> {
  const document = newDocument(name, change);
  await corpus.begin(document);
  let start = 0;
  const chunks = texts.map((text, order) => {
    const at = start;
    start += text.length + 2;
    const page = pages.find((span) => span.start <= at && at < span.end)?.number ?? null;
    const heading = headings[order];
    const headingPath = heading === undefined ? [] : [heading];
    return { text, order, start: at, end: at + text.length, page, headingPath, vector: vectorOf(text) };
  });
  await corpus.stage(document.id, chunks);
  const publication = { text: texts.join('\n\n'), pages, summary: summary ?? null, totalTokens: 0 };
  return corpus.publish(document.id, publication);
}

const testPrice = { input: 1, cachedInput: 0.1, output: 10 };

export interface RunningAgent {
  readonly agent: Agent;
  readonly conversations: Conversations;
  /** Asks a question and returns all events. */
  ask(message: string, change?: Partial<AgentRequest>, signal?: AbortSignal): Promise<AgentEvent[]>;
}

type Change = Omit<Partial<Adapters>, 'settings'> & { readonly settings?: Partial<Settings> };

/** The agent over an open store, by default with the product's tools. Nothing it starts has to be closed. */
export async function agentOver(
  store: OpenStore,
  models: ModelRegistry,
  { settings, ...change }: Change = {},
): Promise<RunningAgent> {
  const services = await compose(
    adaptersOver(store, {
      embedders: onlyEmbedder(letters),
      models,
      settings: { ...testSettings, prices: { ...listPrices, 'test/': testPrice }, ...settings },
      ...change,
    }),
  ).start();
  const { agent, conversations } = services;
  return {
    agent,
    conversations,
    async ask(message, asked = {}, signal = new AbortController().signal) {
      const run = await agent.prepare(agentRequest(message, asked));
      const events: AgentEvent[] = [];
      for await (const event of run.events(signal)) events.push(event);
      return events;
    },
  };
}

/** The agent request that the HTTP API builds for a plain message, but without asking a model for a title. */
export const agentRequest = (message: string, change: Partial<AgentRequest> = {}): AgentRequest => ({
  ...plainRequest(defaultAdmin, message),
  useSystemContext: false,
  name: false,
  ...change,
});

export function answerIn(events: readonly AgentEvent[]): AgentAnswer {
  const last = events.at(-1);
  if (last?.type !== 'final_answer') throw new Error(`The run ended with ${last?.type ?? 'nothing'}.`);
  return last.answer;
}

export const resultsIn = (events: readonly AgentEvent[]) =>
  events.flatMap((event) => (event.type === 'tool_result' ? [event] : []));

export const textIn = (events: readonly AgentEvent[]): string =>
  events.map((event) => (event.type === 'message' ? event.text : '')).join('');

/** The types of the events, with consecutive duplicates removed. */
export const kindsOf = (events: readonly AgentEvent[]): string[] =>
  events.map(({ type }) => type).filter((type, index, all) => type !== all[index - 1]);
