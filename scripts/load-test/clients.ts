import type { RunningServer } from '../../test/support/run-citewell.ts';
import type { Random } from '../seeded-random.ts';
import type { ClusterNode } from './cluster.ts';

/** A document that a server has acknowledged. If `isQueued`, it is found only after its task has ended. */
export interface Acknowledged {
  readonly id: string;
  readonly word: string;
  readonly isQueued: boolean;
}

/** What the clients have seen. */
export interface Ledger {
  readonly documents: Acknowledged[];
  readonly lost: string[];
  readonly wrong: string[];
  readonly streams: string[];
  searches: number;
  unanswered: number;
  resumed: number;
  /** Resumed streams that ended with an error, because the server of their run had ended. */
  ended: number;
}

const PATIENCE_MS = 60_000;
/** Error event of a run whose server was killed; no other server takes it over. A stopping server finishes its runs. */
const SERVER_GONE = /server handling this request ended|service is stopping/;

/** Sends a request; undefined if the server is down or ended during the request. */
export async function send(server: RunningServer, path: string, init: RequestInit = {}): Promise<Response | undefined> {
  try {
    return await fetch(`${server.url}/v3${path}`, { signal: AbortSignal.timeout(PATIENCE_MS), ...init });
  } catch {
    return undefined;
  }
}

const json = (body: object): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});

/** True if a search for its word finds the document; otherwise a description; undefined if there was no answer. */
export async function isFound(server: RunningServer, { id, word }: Acknowledged): Promise<true | string | undefined> {
  const settings = { use_semantic_search: false, use_fulltext_search: true, limit: 3 };
  const response = await send(server, '/retrieval/search', json({ query: word, search_settings: settings }));
  const text = await response?.text().catch(() => undefined);
  // 503: the server is stopping, or its database is unavailable.
  if (response === undefined || text === undefined || response.status === 503) return undefined;
  if (response.status === 200 && text.includes(id)) return true;
  return `a search for ${word} should find document ${id} and answered ${response.status}: ${text.slice(0, 200)}`;
}

export function running(nodes: readonly ClusterNode[]): RunningServer[] {
  return nodes.flatMap(({ running: server }) => server ?? []);
}

function anyOf(nodes: readonly ClusterNode[], random: Random): RunningServer | undefined {
  const there = running(nodes);
  return there[random.integer(0, Math.max(0, there.length - 1))];
}

/** Uploads a document, and searches for it on every server once it is acknowledged. */
export async function upload(nodes: readonly ClusterNode[], ledger: Ledger, random: Random): Promise<void> {
  const server = anyOf(nodes, random);
  if (server === undefined) return;
  const word = `w${Array.from({ length: 12 }, () => String.fromCharCode(97 + random.integer(0, 25))).join('')}`;
  const isQueued = random.chance(0.3);
  const form = new FormData();
  form.set('raw_text', `The vessel ${word} was seen off the coast in the year ${random.integer(1700, 1900)}.`);
  if (isQueued) form.set('queued', 'true');
  const response = await send(server, '/documents', { method: 'POST', body: form });
  const text = await response?.text().catch(() => undefined);
  if (response?.status !== 202 || text === undefined) {
    ledger.unanswered++;
    return;
  }
  const document = { id: String(JSON.parse(text).results.document_id), word, isQueued };
  ledger.documents.push(document);
  if (isQueued) return;
  for (const each of running(nodes)) {
    const found = await isFound(each, document);
    if (typeof found === 'string') ledger.wrong.push(`when acknowledged: ${found}`);
  }
}

/** Searches for a document that was acknowledged before. */
export async function search(nodes: readonly ClusterNode[], ledger: Ledger, random: Random): Promise<void> {
  const there = ledger.documents.filter(({ isQueued }) => !isQueued);
  const document = there[random.integer(0, Math.max(0, there.length - 1))];
  const server = anyOf(nodes, random);
  if (document === undefined || server === undefined) return;
  const found = await isFound(server, document);
  if (found === undefined) ledger.unanswered++;
  else ledger.searches++;
  if (typeof found === 'string') ledger.wrong.push(found);
}

/** Asks an agent, drops the stream after a few events and reads the rest from random servers. */
export async function stream(nodes: readonly ClusterNode[], ledger: Ledger, random: Random): Promise<void> {
  const server = anyOf(nodes, random);
  if (server === undefined) return;
  const ask = { query: 'Which vessel was seen off the coast?', rag_generation_config: { stream: true } };
  const begun = await send(server, '/retrieval/agent', json(ask));
  const run = begun?.headers.get('x-run-id');
  if (begun?.status !== 200 || !run) return void ledger.unanswered++;
  const { ids } = await read(begun, { most: random.integer(1, 4) });
  for (let tries = 0; tries < 20; tries++) {
    const other = anyOf(nodes, random);
    const last = ids.at(-1);
    const headers = last === undefined ? {} : { 'last-event-id': last };
    const rest = other && (await send(other, `/retrieval/runs/${run}/events`, { headers }));
    if (rest?.status === 404) return void ledger.streams.push(`run ${run} is not known on another server`);
    if (rest?.status !== 200) {
      await new Promise((resolve) => setTimeout(resolve, 250));
      continue;
    }
    const more = await read(rest);
    ids.push(...more.ids);
    if (!more.isComplete) continue;
    ledger.resumed++;
    if (more.failure !== undefined && SERVER_GONE.test(more.failure)) ledger.ended++;
    else if (more.failure !== undefined) ledger.streams.push(`run ${run} failed: ${more.failure}`);
    const numbers = ids.map((id) => Number(id.split(':')[1]));
    if (numbers.some((number, place) => number !== place + 1)) {
      ledger.streams.push(`run ${run} should give the events 1, 2, 3 … and gave ${numbers.join(', ')}`);
    }
    return;
  }
  ledger.unanswered++;
}

export interface Part {
  /** Ids of the events. */
  readonly ids: string[];
  /** Whether the `done` event arrived. */
  readonly isComplete: boolean;
  /** The error event, if one arrived. */
  readonly failure: string | undefined;
}

/** Reads a stream to its end, up to `most` events, or up to the first event named `untilEvent`. */
export async function read(
  response: Response,
  { most = Number.POSITIVE_INFINITY, untilEvent }: { readonly most?: number; readonly untilEvent?: string } = {},
): Promise<Part> {
  const ids: string[] = [];
  let isComplete = false;
  let failure: string | undefined;
  let rest = '';
  try {
    for await (const part of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      const blocks = (rest + part).split('\n\n');
      rest = blocks.pop() ?? '';
      let hasCome = false;
      for (const block of blocks) {
        const [, id] = /^id: (.*)$/m.exec(block) ?? [];
        const [, event] = /^event: (.*)$/m.exec(block) ?? [];
        if (id !== undefined && ids.length < most && !hasCome) ids.push(id);
        if (event === 'error') failure = block;
        if (event === 'done') isComplete = true;
        hasCome ||= event === untilEvent;
      }
      if (ids.length >= most || hasCome) break;
    }
  } catch {
    // The server was killed.
  }
  return { ids, isComplete, failure };
}
