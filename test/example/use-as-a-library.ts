import { z } from 'zod';
import {
  collectAnswer,
  compose,
  defaultAdmin,
  defineTool,
  type EmbeddingModel,
  loadConfig,
  type Model,
  openAdapters,
  plainRequest,
  withEmbedder,
  withModel,
  withTools,
} from '../../src/index.ts';

const DIMENSIONS = 256;

/** Your embedder. This one counts words, so that the example needs no server. */
const embedder: EmbeddingModel = {
  name: 'example/words',
  isLexical: true,
  space: async () => ({ embedder: 'example/words', version: '1', dimensions: DIMENSIONS }),
  embed: async (texts) => texts.map(wordVector),
};

function wordVector(text: string): Float32Array {
  const vector = new Float32Array(DIMENSIONS);
  for (const [word] of text.toLowerCase().matchAll(/\p{L}+/gu)) {
    const place = [...word].reduce((hash, letter) => (hash * 31 + letter.charCodeAt(0)) % DIMENSIONS, 7);
    vector[place] = (vector[place] ?? 0) + 1;
  }
  const length = Math.hypot(...vector) || 1;
  return vector.map((value) => value / length);
}

/** Your model. This one follows a fixed plan: look things up, then answer from what the tools returned. */
const model: Model = {
  name: 'example/planner',
  async *stream({ messages, tools }) {
    const question = messages.findLast(({ role }) => role === 'user')?.text ?? '';
    const results = messages.filter((message) => message.role === 'tool');
    const usage = { input: 0, cachedInput: 0, output: 0, reasoning: 0 };
    if (results.length === 0 && tools.length > 0) {
      const search = { id: '1', name: 'search_file_knowledge', arguments: { query: question } };
      const seats = { id: '2', name: 'free_seats', arguments: { ferry: 'Aurora' } };
      yield { type: 'tool_call', call: search };
      yield { type: 'tool_call', call: seats };
      yield { type: 'stop', reason: 'tool_calls', usage, model: 'example/planner' };
      return;
    }
    const [found = '', seats = ''] = results.map(({ text }) => text);
    const rule = /[^.\n]*\bwind\b[^.]*\./.exec(found)?.[0].trim() ?? 'Nothing was found.';
    const free = /\d+ free seats/.exec(seats)?.[0] ?? 'no free seats';
    yield { type: 'text', text: `${rule.replace(/\.$/, '')} [1]. The Aurora has ${free} today.` };
    yield { type: 'stop', reason: 'end', usage, model: 'example/planner' };
  },
};

const freeSeats = new Map([['Aurora', 12]]);

/** Your tool. The agent offers it to the model beside its own. */
const seatsTool = defineTool({
  name: 'free_seats',
  title: 'Free seats',
  description: 'The free seats of a ferry today.',
  input: z.object({ ferry: z.string().describe('Name of the ferry') }),
  output: z.object({ seats: z.number() }),
  annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  deadline: 5_000,
  async execute({ ferry }) {
    const seats = freeSeats.get(ferry) ?? 0;
    return { text: `The ${ferry} has ${seats} free seats.`, structured: { seats } };
  },
});

const documents = {
  'Sailing rules': 'The ferry stays in the harbour when the wind is above 18 metres a second. Dogs travel free.',
  'Opening hours': 'The ticket office opens at seven. On Sundays it opens at nine.',
};

/** Ingests the documents into this folder, asks the question, and returns the answer with the quotes it rests on. */
export async function answerWithCitations(folder: string, question: string): Promise<string> {
  const config = loadConfig({ env: { CITEWELL_DATA_DIR: folder }, cwd: folder });
  const adapters = await openAdapters(config);
  const services = await compose({
    ...adapters,
    models: withModel(adapters.models, model),
    embedders: withEmbedder(adapters.embedders, embedder),
    external: withTools(adapters.external, [seatsTool]),
  }).start();
  const { signal } = new AbortController();
  try {
    for (const [title, text] of Object.entries(documents)) {
      const { document } = await services.ingestor.submit({
        content: { kind: 'text', text },
        title,
        ownerId: defaultAdmin.userId,
        metadata: {},
        collectionIds: [],
        settings: {},
      });
      for await (const event of services.ingestor.run(document.id, signal)) {
        if (event.type === 'failed') throw event.error;
      }
    }
    const run = await services.agent.prepare(plainRequest(defaultAdmin, question));
    const { text, citations } = await collectAnswer(run.events(signal));
    const quotes = citations.flatMap(({ number, verdict, quotes }) =>
      quotes.map((quote) => `[${number}] ${verdict}: "${quote.text}"`),
    );
    return [text, ...quotes].join('\n');
  } finally {
    await services.close();
  }
}
