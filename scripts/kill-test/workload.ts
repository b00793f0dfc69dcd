import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../seeded-random.ts';
import type { Answer, Api } from './api.ts';
import type { createDrafts } from './draft.ts';
import type { Entry, ExpectedState, PendingRequest } from './expected-state.ts';

export interface Workload {
  readonly api: Api;
  readonly expected: ExpectedState;
  readonly drafts: ReturnType<typeof createDrafts>;
  readonly random: Random;
  /** Number of concurrent clients. */
  readonly clients: number;
  /** Clients send no new requests once this is aborted. */
  readonly stop: AbortSignal;
  /** Called with error responses. */
  readonly complain: (sentence: string) => void;
}

/** Numbers of acknowledged requests. */
export interface Tally {
  put: number;
  deleted: number;
  tagged: number;
  restored: number;
  /** Requests without a response. */
  unanswered: number;
}

/** Maximum number of live paragraphs; above it, documents are deleted rather than added. */
const MAX_PARAGRAPHS = 5_000;

/** Adds, replaces, tags and deletes documents until it is stopped or the service is down. */
export async function runWorkload(workload: Workload): Promise<Tally> {
  const tally: Tally = { put: 0, deleted: 0, tagged: 0, restored: 0, unanswered: 0 };
  const clients = Array.from({ length: workload.clients }, () => runClient(workload, workload.random.fork(), tally));
  await Promise.all(clients);
  return tally;
}

async function runClient(workload: Workload, random: Random, tally: Tally): Promise<void> {
  const { expected, stop, complain } = workload;
  while (!stop.aborted) {
    const { entry, pending } = choose(workload, random);
    const replaces = entry.draft !== null;
    expected.begin(entry, pending);
    let answer: Answer;
    try {
      answer = await send(workload.api, entry.id, pending, replaces);
    } catch {
      // The service is down; whether the request had an effect is determined later.
      tally.unanswered++;
      return;
    }
    if (answer.status >= 300) {
      complain(`${describe(pending, entry)} was answered ${answer.status}: ${JSON.stringify(answer.body)}`);
      return;
    }
    expected.fulfil(entry);
    if (pending.kind === 'put') tally.put++;
    else if (pending.kind === 'delete') tally.deleted++;
    else if (pending.kind === 'restore') tally.restored++;
    else tally.tagged++;
    await sleep(random.integer(0, 30));
  }
}

function send(api: Api, id: string, pending: PendingRequest, replaces: boolean): Promise<Answer> {
  switch (pending.kind) {
    case 'put':
      return api.put(pending.draft, replaces);
    case 'delete':
      return api.remove(id);
    case 'restore':
      return api.restore(id, pending.version);
    case 'tag':
      return api.tag(id, pending.tag);
  }
}

function choose(
  { expected, drafts }: Workload,
  random: Random,
): { readonly entry: Entry; readonly pending: PendingRequest } {
  const idle = [...expected.entries.values()].filter(({ draft, pending }) => draft !== null && pending === null);
  const alive = idle.reduce((sum, { draft }) => sum + (draft?.paragraphs.length ?? 0), 0);
  const [first, ...others] = idle;
  const dice = random.next();
  if (first !== undefined) {
    const entry = random.pick([first, ...others]);
    if (alive > MAX_PARAGRAPHS ? dice < 0.6 : dice < 0.12) return { entry, pending: { kind: 'delete' } };
    if (dice > 0.92) return { entry, pending: { kind: 'tag', tag: random.integer(1, 1_000_000) } };
    if (dice > 0.6) {
      return { entry, pending: successor(entry, drafts, random) };
    }
  }
  const entry = expected.add(randomUUID());
  return { entry, pending: { kind: 'put', draft: drafts.draft(entry.id, 1, size(random)) } };
}

/** The next request for an existing document: new content, an edited version, or an earlier version to restore. */
function successor({ id, draft, versions }: Entry, drafts: Workload['drafts'], random: Random): PendingRequest {
  const newest = Math.max(draft?.version ?? 0, ...versions.map(({ version }) => version));
  const dice = random.next();
  if (dice < 0.2 && versions.length > 0) {
    // Only versions that are certainly still stored.
    const place = random.integer(Math.max(0, versions.length - VERSIONS_SURELY_KEPT), versions.length - 1);
    const earlier = versions[place];
    if (earlier !== undefined && earlier !== draft) return { kind: 'restore', draft: earlier, version: `v${place}` };
  }
  if (dice < 0.7 && draft !== null) return { kind: 'put', draft: { ...drafts.edit(draft), version: newest + 1 } };
  return { kind: 'put', draft: drafts.draft(id, newest + 1, size(random)) };
}

const VERSIONS_SURELY_KEPT = 5;

/** Number of paragraphs: mostly few, occasionally enough for several batches. */
function size(random: Random): number {
  const dice = random.next();
  if (dice < 0.6) return random.integer(1, 6);
  return dice < 0.9 ? random.integer(10, 60) : random.integer(150, 450);
}

function describe(pending: PendingRequest, { id, draft }: Entry): string {
  switch (pending.kind) {
    case 'put':
      return `${draft === null ? 'Adding' : 'Replacing'} document ${id} as ${pending.draft.form}`;
    case 'delete':
      return `Deleting document ${id}`;
    case 'restore':
      return `Restoring ${pending.version} of document ${id}`;
    case 'tag':
      return `Tagging document ${id}`;
  }
}
