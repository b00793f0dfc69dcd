import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { EmbeddingModel } from '../../src/embeddings/embedding-model.ts';
import { unitVector } from '../../src/embeddings/unit-vector.ts';
import { seededRandom } from '../seeded-random.ts';

/** Rows of the table; words share a row by their hash. */
const ROWS = 65_536;
/** Shorter words of the generated texts are mostly function words. */
const SHORTEST_WORD = 6;
const MODEL = 'bench';

/**
 * An embedder without a model: each word has a fixed random vector, and a text has the sum over its words. It costs a
 * fraction of storing a chunk, texts on one topic are near each other, and distances vary as those of real texts do.
 */
export function wordVectors(dimensions: number, seed: number): EmbeddingModel {
  const random = seededRandom(seed);
  const table = Int8Array.from({ length: ROWS * dimensions }, () => Math.floor(random.next() * 255) - 127);
  const name = `openai/${MODEL}@${dimensions}`;
  const sumOf = (words: readonly string[]): Float32Array => {
    const sum = new Float32Array(dimensions);
    for (const word of words) {
      const row = (hash(word) % ROWS) * dimensions;
      for (let at = 0; at < dimensions; at++) sum[at] = (sum[at] ?? 0) + (table[row + at] ?? 0);
    }
    return sum;
  };
  const vectorOf = (text: string): Float32Array => {
    const words = text.toLowerCase().match(/[a-z]+/g) ?? [];
    const long = words.filter((word) => word.length >= SHORTEST_WORD);
    return unitVector(sumOf(long.length > 0 ? long : words)) ?? new Float32Array(dimensions);
  };
  return {
    name,
    isLexical: false,
    space: async () => ({ embedder: name, version: '1', dimensions }),
    embed: async (texts) => texts.map(vectorOf),
  };
}

function hash(word: string): number {
  let sum = 0x811c9dc5;
  for (let at = 0; at < word.length; at++) sum = Math.imul(sum ^ word.charCodeAt(at), 0x01000193);
  return sum >>> 0;
}

/** Stops when disposed. */
export interface EmbeddingServer extends Disposable {
  readonly embedder: EmbeddingModel;
  /**
   * Settings that make a service use this server. Graph extraction is off: it would run beside everything measured, as
   * the corpus is loaded without a graph.
   */
  readonly env: Readonly<Record<string, string>>;
}

/** Serves an embedder over OpenAI's API, for services in separate processes. */
export async function serveEmbeddings(embedder: EmbeddingModel): Promise<EmbeddingServer> {
  const server = createServer(async (request, response) => {
    const body = await readBody(request);
    if (request.url !== '/v1/embeddings') {
      response.writeHead(404).end();
      return;
    }
    const { input } = JSON.parse(body) as { readonly input: string | readonly string[] };
    const vectors = await embedder.embed([input].flat(), 'query');
    const data = vectors.map((vector, index) => ({ object: 'embedding', index, embedding: [...vector] }));
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ object: 'list', model: MODEL, data, usage: { prompt_tokens: 1, total_tokens: 1 } }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    embedder,
    env: {
      OPENAI_API_KEY: 'bench',
      OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1`,
      CITEWELL_EMBEDDING_MODEL: embedder.name,
      CITEWELL_MODEL: 'builtin/extractive',
      CITEWELL_GRAPH: 'off',
    },
    [Symbol.dispose]: () => server.close(),
  };
}

async function readBody(request: IncomingMessage): Promise<string> {
  let body = '';
  for await (const part of request.setEncoding('utf8')) body += String(part);
  return body;
}
