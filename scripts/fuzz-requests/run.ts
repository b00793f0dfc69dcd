import { setTimeout as sleep } from 'node:timers/promises';
import pLimit from 'p-limit';
import { operationGroups } from '../../src/http/openapi/operations.ts';
import { toOpenApi } from '../../src/http/openapi/to-document.ts';
import { describedAnswers } from '../../test/http/support/described-answers.ts';
import { member } from '../kill-test/api.ts';
import { seededRandom } from '../seeded-random.ts';
import { disagreements } from './agreement.ts';
import { problemsOf } from './check-response.ts';
import { createCredentials } from './credentials.ts';
import { draftRequest, type MountedRoute, unknownRoute } from './draft-request.ts';
import { sendMalformed } from './malformed.ts';
import { memoryProblems, sampleMemory } from './memory.ts';
import { createOwner } from './owner.ts';
import { createRecordIds } from './record-ids.ts';
import type { FuzzedRequest } from './request.ts';
import { type Outcome, send } from './send.ts';
import type { Subject } from './subject.ts';
import type { Tally } from './tally.ts';

export interface RunParts {
  readonly subject: Subject;
  readonly count: number;
  readonly seed: number;
  readonly tally: Tally;
  /** Matches the `METHOD path` of the routes to test. */
  readonly only: RegExp;
  readonly report: (line: string) => void;
}

const CONCURRENCY = 8;
const LIMIT_MS = 60_000;
const REFILL_EVERY = 200;
/** Number of latest requests to which log lines can be attributed. */
const REMEMBERED = 200;
/** Number of requests in ten that go to the known routes, in rotation. */
const TO_ROUTES = 9;
const MALFORMED = 0.2;
/** Memory is compared only after enough requests to fill all caches. */
const MEASURED_FROM = 2_000;

/** These are mounted for all methods, so the router does not list them by method. */
const routesOfAllMethods: readonly MountedRoute[] = [
  { method: 'POST', path: '/mcp' },
  { method: 'GET', path: '/mcp' },
  { method: 'DELETE', path: '/mcp' },
  { method: 'GET', path: '/v3/users/oauth/google/authorize' },
];

/** Sends the requests, checks each response, and examines the service afterwards. */
export async function runRequests({ subject, count, seed, only, tally, report }: RunParts): Promise<void> {
  const { urls } = subject;
  const owner = await createOwner(urls.guarded);
  const credentials = await createCredentials(urls.guarded);
  const recordIds = createRecordIds({ url: urls.open, owner });
  let session = '';
  const refill = async (): Promise<void> => {
    await recordIds.refill();
    session = await openSession(urls.open);
  };
  await refill();
  const description = toOpenApi({ groups: operationGroups, version: '0' });
  const routes: readonly MountedRoute[] = [
    // The route of chat models ends with a regular expression.
    ...subject.routes.map(({ method, path }) => ({ method, path: path.replace(/\/\^.*$/, '/models/:model') })),
    ...routesOfAllMethods,
  ].filter(({ method, path }) => only.test(`${method} ${path}`));
  if (routes.length === 0) throw new Error(`No route matches ${only}.`);
  const order = shuffled(routes, seed);
  const parts = { description, tools: subject.tools, recordIds, credentials, session: () => session };
  const judging = { description: describedAnswers(), folders: [subject.dataFolder, process.cwd()] };

  const sent = new Map<string, FuzzedRequest>();
  const one = async (number: number): Promise<void> => {
    const random = seededRandom(Math.imul(seed, 0x9e3779b1) + number);
    const turn = number % 10;
    if (turn >= TO_ROUTES && random.chance(MALFORMED)) return malformed(number);
    const place = Math.floor(number / 10) * TO_ROUTES + turn;
    const route = turn < TO_ROUTES ? order[place % order.length] : unknownRoute(routes, random);
    if (route === undefined) return;
    const fuzzed = draftRequest(number, route, random, parts);
    const url = urls[fuzzed.face];
    sent.set(`fuzz-${number}`, fuzzed);
    sent.delete(`fuzz-${number - REMEMBERED}`);
    const outcome = await send(fuzzed, { url, limit: LIMIT_MS });
    tally.count(turn < TO_ROUTES ? fuzzed.route : '(no route)', outcome.status ?? outcome.ending);
    const complaints = problemsOf(fuzzed, outcome, judging);
    for (const sentence of complaints) tally.addComplaint(sentence, { fuzzed, outcome, url });
    for (const { requestId, text } of subject.takeErrors()) {
      const cause = sent.get(requestId ?? '');
      tally.addComplaint(`It was logged: ${text.slice(0, 1_500)}`, cause && { fuzzed: cause, url });
    }
    if (isLoggedOut(fuzzed, outcome, credentials.token())) await credentials.renew();
  };
  const malformed = async (number: number): Promise<void> => {
    const { status, request } = await sendMalformed(urls.open, seededRandom(Math.imul(seed, 0x9e3779b1) + number));
    tally.count('(no HTTP)', status ?? 'hung up');
    if (status !== undefined && status >= 500)
      tally.addComplaint(`${JSON.stringify(request.slice(0, 200))} led to ${status}.`);
  };

  const half = count >> 1;
  await sendAll({ from: 0, to: half }, { one, refill, report });
  await subject.quiet();
  const before = await sampleMemory();
  await sendAll({ from: half, to: count }, { one, refill, report });
  await subject.quiet();
  const after = await sampleMemory();
  report(
    `memory after half: heap ${before.heap.toFixed(0)} MB, resident ${before.resident.toFixed(0)} MB; ` +
      `at the end: ${after.heap.toFixed(0)} and ${after.resident.toFixed(0)} MB`,
  );
  if (count >= MEASURED_FROM) for (const sentence of memoryProblems(before, after)) tally.addComplaint(sentence);
  const names = routes.map(({ method, path }) => `${method} ${path}`);
  const { route, count: fewest } = tally.fewest(names);
  report(`${names.length} routes; the fewest requests of any were ${fewest} (${route})`);
  const due = Math.floor((count * TO_ROUTES) / 10 / names.length);
  if (fewest < due) tally.addComplaint(`${route} got ${fewest} requests instead of ${due}.`);

  const health = await fetch(`${urls.open}/v3/health`);
  if (member(member(await health.json(), 'results'), 'message') !== 'ok')
    tally.addComplaint('The service is not healthy.');
  for (const sentence of await owner.findProblems()) tally.addComplaint(sentence);
  for (const sentence of await disagreements(subject.dataFolder)) tally.addComplaint(sentence);
}

interface Sending {
  one(number: number): Promise<void>;
  /** Called after each `REFILL_EVERY` requests. */
  refill(): Promise<void>;
  report(line: string): void;
}

async function sendAll(
  { from, to }: { readonly from: number; readonly to: number },
  { one, refill, report }: Sending,
): Promise<void> {
  const limit = pLimit(CONCURRENCY);
  for (let first = from; first < to; first += REFILL_EVERY) {
    if (first > from) await refill();
    const numbers = Array.from({ length: Math.min(REFILL_EVERY, to - first) }, (_, index) => first + index);
    await limit.map(numbers, one);
    if ((first - from) % (REFILL_EVERY * 5) === 0 && first > 0) report(`${first} requests sent`);
    // Background work of a request may fail after its response.
    await sleep(10);
  }
}

/** Whether the response says that valid credentials have become invalid. */
function isLoggedOut({ face, headers }: FuzzedRequest, { status }: Outcome, token: string): boolean {
  const { authorization, 'x-api-key': key } = headers;
  const isRight = authorization === `Bearer ${token}` || (authorization === undefined && key !== undefined);
  return face === 'guarded' && status === 401 && isRight;
}

function shuffled<T>(items: readonly T[], seed: number): readonly T[] {
  const random = seededRandom(seed);
  return items
    .map((item) => ({ item, key: random.next() }))
    .sort((one, other) => one.key - other.key)
    .map(({ item }) => item);
}

/** A session of an MCP client of an earlier revision; such sessions expire. */
async function openSession(url: string): Promise<string> {
  const response = await fetch(`${url}/mcp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'fuzz', version: '1' } },
    }),
  });
  await response.text();
  return response.headers.get('mcp-session-id') ?? '';
}
