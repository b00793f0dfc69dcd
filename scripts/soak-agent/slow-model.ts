import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';

/** Outcomes of the model calls for one question. */
export interface CallCounts {
  /** Streams in progress. */
  open: number;
  finished: number;
  /** Streams aborted by the caller. */
  left: number;
}

/** A server with OpenAI's API that searches once and then answers slowly, word by word. It keeps only counts. */
export interface SlowModel {
  readonly baseUrl: string;
  /** Counts for the question with this number. */
  counts(question: number): CallCounts;
  close(): Promise<void>;
}

export interface SlowModelSettings {
  readonly words: number;
  /** Milliseconds between words. */
  readonly pause: number;
}

/** Questions contain their number, so that each call can be attributed. */
export const question = (number: number): string => `Question ${number}: which harbour is meant?`;

/** The answer to a question, in full. */
export const fullAnswer = (number: number, { words }: SlowModelSettings): string =>
  Array.from({ length: words }, (_, index) => `word${index}of${number}`).join(' ');

interface ChatRequest {
  readonly messages: readonly { readonly role: string; readonly content?: unknown }[];
}

export async function startSlowModel(settings: SlowModelSettings): Promise<SlowModel> {
  const calls = new Map<number, CallCounts>();
  const countsOf = (number: number): CallCounts => {
    const counts = calls.get(number) ?? { open: 0, finished: 0, left: 0 };
    calls.set(number, counts);
    return counts;
  };
  const server = createServer(async (request, response) => {
    const { messages } = (await json(request)) as ChatRequest;
    const number = numberOf(messages);
    const counts = countsOf(number);
    counts.open++;
    response.on('close', () => {
      counts.open--;
      if (response.writableFinished) counts.finished++;
      else counts.left++;
    });
    if (messages.at(-1)?.role === 'tool') await answer(response, number, settings);
    else search(response, number);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    counts: countsOf,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

function numberOf(messages: ChatRequest['messages']): number {
  const asked = messages.findLast(({ role }) => role === 'user')?.content;
  return Number(/Question (\d+)/.exec(JSON.stringify(asked))?.[1] ?? -1);
}

function search(response: ServerResponse, number: number): void {
  const call = {
    index: 0,
    id: `call_${number}`,
    type: 'function',
    function: { name: 'search_file_knowledge', arguments: JSON.stringify({ query: question(number) }) },
  };
  begin(response);
  send(response, { tool_calls: [call] });
  end(response, 'tool_calls');
}

async function answer(response: ServerResponse, number: number, settings: SlowModelSettings): Promise<void> {
  begin(response);
  const words = fullAnswer(number, settings).match(/\S+\s?/g) ?? [];
  for (const word of words) {
    await sleep(settings.pause);
    if (response.destroyed) return;
    send(response, { content: word });
  }
  end(response, 'stop');
}

function begin(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  send(response, { role: 'assistant', content: '' });
}

function end(response: ServerResponse, reason: string): void {
  send(response, {}, reason);
  response.end('data: [DONE]\n\n');
}

function send(response: ServerResponse, delta: object, reason: string | null = null): void {
  const choices = [{ index: 0, delta, finish_reason: reason }];
  const chunk = { id: 'chatcmpl-soak', object: 'chat.completion.chunk', created: 1, model: 'slow', choices };
  response.write(`data: ${JSON.stringify(chunk)}\n\n`);
}
