import { setTimeout as sleep } from 'node:timers/promises';
import { fullAnswer, question, type SlowModel, type SlowModelSettings } from './slow-model.ts';

export interface SoakParts {
  /** Address of the service under test. */
  readonly url: string;
  readonly model: SlowModel;
  readonly settings: SlowModelSettings;
  readonly streams: number;
  /** Number of the first question; questions are never repeated with one model. */
  readonly first: number;
  /** Uniform random numbers in [0, 1). */
  readonly random: () => number;
  /** Milliseconds in which all work must end after the last client has disconnected. */
  readonly settle: number;
}

/** Outcomes of the streams of a round. */
export interface SoakReport {
  readonly stayed: number;
  readonly left: number;
  /** Runs of disconnected clients that continued and were stored, were cancelled, or had finished before. */
  readonly stored: number;
  readonly aborted: number;
  readonly finishedFirst: number;
  /** Clients that disconnected before the service received the request. */
  readonly notStarted: number;
  readonly seconds: number;
  /** Milliseconds to the first event for clients that stayed, sorted. */
  readonly firstEvents: readonly number[];
  /** All violations; empty if everything is as expected. */
  readonly wrong: readonly string[];
}

interface Client {
  readonly number: number;
  readonly conversation: string;
  readonly isResumable: boolean;
  /** When it disconnects: after this many events, or (before the first event) milliseconds; undefined if it stays. */
  readonly leaves: { readonly events: number } | { readonly milliseconds: number } | undefined;
}

/** Opens all streams concurrently; a third of the clients disconnect at random. Then checks the outcome of each. */
export async function soakRound(parts: SoakParts): Promise<SoakReport> {
  const { streams, first, random } = parts;
  const startedAt = performance.now();
  const clients = await Promise.all(
    Array.from({ length: streams }, async (_, index): Promise<Client> => {
      const number = first + index;
      const events = Math.floor(random() * parts.settings.words);
      const leaves = events < 3 ? { milliseconds: random() * 500 } : { events };
      const conversation = await createConversation(parts.url);
      return { number, conversation, isResumable: number % 2 === 0, leaves: index % 3 === 0 ? leaves : undefined };
    }),
  );
  const firstEvents: number[] = [];
  const wrong: string[] = [];
  await Promise.all(
    clients.map(async (client) => {
      const complaint = await runClient(client, parts, firstEvents).catch((error: unknown) => String(error));
      if (complaint !== undefined) wrong.push(`Question ${client.number}: ${complaint}`);
    }),
  );
  wrong.push(...(await waitUntilIdle(clients, parts)));
  const counts = { stored: 0, aborted: 0, finishedFirst: 0, notStarted: 0 };
  for (const client of clients) {
    const said = await messagesOf(parts.url, client.conversation);
    const kept = said[1] ?? '';
    const isWhole = kept === fullAnswer(client.number, parts.settings);
    if (client.leaves !== undefined && said.length === 0) {
      counts.notStarted++;
    } else if (client.leaves === undefined || client.isResumable) {
      if (!isWhole)
        wrong.push(`Question ${client.number}: its answer was not stored whole, but "${kept.slice(0, 60)}".`);
      if (client.leaves !== undefined) counts.stored++;
    } else {
      counts[isWhole ? 'finishedFirst' : 'aborted']++;
    }
  }
  const stayed = clients.filter(({ leaves }) => leaves === undefined).length;
  const seconds = (performance.now() - startedAt) / 1000;
  return { stayed, left: streams - stayed, ...counts, seconds, firstEvents: firstEvents.sort((a, b) => a - b), wrong };
}

/** Reads a client's stream to the end, or disconnects; returns what went wrong, if anything. */
async function runClient(client: Client, parts: SoakParts, firstEvents: number[]): Promise<string | undefined> {
  const { leaves } = client;
  const leaving = new AbortController();
  const timer =
    leaves !== undefined && 'milliseconds' in leaves
      ? setTimeout(() => leaving.abort(), leaves.milliseconds)
      : undefined;
  const startedAt = performance.now();
  let text = '';
  let events = 0;
  try {
    const response = await fetch(`${parts.url}/v3/retrieval/agent`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({
        query: question(client.number),
        conversation_id: client.conversation,
        needs_initial_conversation_name: false,
        resumable: client.isResumable,
        rag_generation_config: { stream: true },
      }),
      signal: leaving.signal,
    });
    if (response.status !== 200) return `it was answered with ${response.status}: ${await response.text()}`;
    for await (const piece of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      if (text === '' && leaves === undefined) firstEvents.push(performance.now() - startedAt);
      text += piece;
      events = text.split('\n\n').length - 1;
      if (leaves !== undefined && 'events' in leaves && events >= leaves.events) leaving.abort();
    }
  } catch (error) {
    if (leaving.signal.aborted) return undefined;
    throw error;
  } finally {
    clearTimeout(timer);
  }
  if (leaving.signal.aborted) return undefined;
  return text.includes('event: final_answer\n') && text.endsWith('event: done\ndata: [DONE]\n\n')
    ? undefined
    : `its stream ended without an answer: …${text.slice(-300)}`;
}

/** Waits until no run and no model call is open; returns a complaint if some remain. */
async function waitUntilIdle(clients: readonly Client[], { url, model, settle }: SoakParts): Promise<string[]> {
  const giveUpAt = performance.now() + settle;
  for (;;) {
    const { results } = (await (await fetch(`${url}/v3/retrieval/runs`)).json()) as { results: { status: string }[] };
    const running = results.filter(({ status }) => status === 'running').length;
    const open = clients.filter(({ number }) => model.counts(number).open > 0);
    if (running === 0 && open.length === 0) return [];
    if (performance.now() > giveUpAt) {
      return [`${running} runs still run, and ${open.length} calls of the model are still open.`];
    }
    await sleep(50);
  }
}

async function createConversation(url: string): Promise<string> {
  const response = await fetch(`${url}/v3/conversations`, { method: 'POST' });
  return ((await response.json()) as { results: { id: string } }).results.id;
}

async function messagesOf(url: string, conversation: string): Promise<string[]> {
  const response = await fetch(`${url}/v3/conversations/${conversation}`);
  const { results } = (await response.json()) as { results: { message: { content: string } }[] };
  return results.map(({ message }) => message.content);
}
