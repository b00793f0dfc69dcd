import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as FormerClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as FormerTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { pdfFile } from '../../test/support/pdf-file.ts';
import type { Check } from '../kill-test/report.ts';
import { type Part, read } from '../load-test/clients.ts';
import type { Cluster } from '../load-test/cluster.ts';
import { exposed } from './exposed.ts';

export interface Trial {
  /** Whether the proxy checks the health of the servers, so that it notices a stop before connections fail. */
  readonly asksHealth: boolean;
  /** Address of the proxy. */
  readonly url: string;
  readonly cluster: Cluster;
  /** Lets the language model write the rest of its answer. */
  readonly continueAnswer: () => void;
}

const PATIENCE_MS = 120_000;
const UPLOAD_BYTES = 100_000_000;

const check = (title: string, violations: readonly (string | false)[]): Check => ({
  title,
  violations: violations.filter((each) => each !== false),
});

async function send(url: string, init: RequestInit = {}): Promise<Response> {
  return fetch(url, { signal: AbortSignal.timeout(PATIENCE_MS), ...init });
}

const json = (body: object): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});

/** The model pauses in the middle of its answer, so text that arrives before that was not buffered by the proxy. */
export async function streams({ url, continueAnswer }: Trial): Promise<Check[]> {
  const ask = { query: 'Which ferry sails at nine?', rag_generation_config: { stream: true } };
  const begun = await send(`${url}/v3/retrieval/rag`, json(ask));
  const run = begun.headers.get('x-run-id') ?? '';
  const first = await read(begun, { untilEvent: 'message' });
  const headers = { 'last-event-id': first.ids.at(-1) ?? '' };
  const resumed = send(`${url}/v3/retrieval/runs/${run}/events`, { headers });
  continueAnswer();
  const rest = await resumed.then(
    (response) => read(response),
    (error): Part => ({ ids: [], isComplete: false, failure: String(error) }),
  );
  const numbers = [...first.ids, ...rest.ids].map((id) => Number(id.split(':')[1]));
  return [
    check('a streamed answer is not held back', [first.failure ?? false, first.ids.length === 0 && 'No event came.']),
    check('a broken stream is resumed without gaps or repeats', [
      rest.failure ?? false,
      !rest.isComplete && 'The resumed stream did not end.',
      numbers.some((number, place) => number !== place + 1) && `The events were ${numbers.join(', ')}.`,
    ]),
  ];
}

/** Links in answers must be addresses of the proxy. */
export async function links({ url, continueAnswer }: Trial): Promise<Check[]> {
  continueAnswer();
  const messages = [{ role: 'user', content: 'Which ferry sails at nine?' }];
  const response = await send(
    `${url}/v1/chat/completions`,
    json({ model: 'citewell/rag:builtin/extractive', messages }),
  );
  const text = await response.text();
  const [, link = ''] = /"url":"([^"]+)"/.exec(text) ?? [];
  return [
    check('links in answers are of the proxy', [!link.startsWith(url) && `${response.status}: ${text.slice(0, 300)}`]),
  ];
}

const CALLS = 20;

export async function mcp({ url, cluster }: Trial): Promise<Check[]> {
  const endpoint = new URL(`${url}/mcp`);
  const before = await mcpRequests(cluster);
  const modern = new Client(
    { name: 'test', version: '1.0.0' },
    { versionNegotiation: { mode: { pin: '2026-07-28' } } },
  );
  await modern.connect(new StreamableHTTPClientTransport(endpoint));
  const found: string[] = [];
  const ask = { name: 'search_file_knowledge', arguments: { query: 'ferry' } };
  for (let call = 0; call < CALLS; call++) found.push(JSON.stringify(await modern.callTool(ask)));
  await modern.close();
  const after = await mcpRequests(cluster);
  const former = new FormerClient({ name: 'test', version: '1.0.0' });
  const transport = new FormerTransport(endpoint);
  // The types of the two SDK versions differ only in optional members.
  await former.connect(transport as unknown as Transport);
  for (let call = 0; call < CALLS; call++) found.push(JSON.stringify(await former.callTool(ask)));
  const session = transport.sessionId;
  await former.close();
  const idle = before.filter((count, place) => (after[place] ?? 0) <= count).length;
  return [
    check('MCP answers through the proxy, in both kinds of revisions', [
      found.some((text) => !text.includes('nine')) && 'A search found nothing.',
      session === undefined && 'The earlier revision began no session.',
    ]),
    check('requests of revision 2026-07-28 go to all servers', [idle > 0 && `${idle} servers got none.`]),
  ];
}

/** Number of MCP requests that each server has answered. */
async function mcpRequests({ nodes }: Cluster): Promise<number[]> {
  return Promise.all(
    nodes.map(async ({ running }) => {
      const { samples } = await exposed(`${running?.url}/metrics`);
      return samples
        .filter(
          ({ name, labels }) => name === 'citewell_http_request_duration_seconds_count' && labels['route'] === '/mcp',
        )
        .reduce((sum, { value }) => sum + value, 0);
    }),
  );
}

/** A PDF with one page and a large unreferenced stream. */
function largePdf(): Uint8Array<ArrayBuffer> {
  const text = 'BT /F1 12 Tf 72 720 Td (The lighthouse keeper is called Wexcombe.) Tj ET';
  const page =
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>';
  return new Uint8Array(
    pdfFile([
      '<< /Type /Catalog /Pages 2 0 R >>',
      '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
      page,
      `<< /Length ${text.length} >>\nstream\n${text}\nendstream`,
      '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
      `<< /Length ${UPLOAD_BYTES} >>\nstream\n${'x'.repeat(UPLOAD_BYTES)}\nendstream`,
    ]),
  );
}

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

export async function upload({ url }: Trial): Promise<Check[]> {
  const bytes = largePdf();
  const form = new FormData();
  form.set('file', new File([bytes], 'lighthouse.pdf', { type: 'application/pdf' }));
  form.set('queued', 'true');
  const response = await send(`${url}/v3/documents`, { method: 'POST', body: form });
  const body = await response.text();
  if (response.status !== 202) return [check('a large upload arrives', [`${response.status}: ${body.slice(0, 300)}`])];
  const document = `${url}/v3/documents/${JSON.parse(body).results.document_id}`;
  const until = Date.now() + PATIENCE_MS;
  let status = '';
  while (status !== 'success' && status !== 'failed' && Date.now() < until) {
    await sleep(200);
    const response = await send(document);
    const answer = await response.text();
    status = response.ok ? String(JSON.parse(answer).results.ingestion_status) : `${response.status} ${answer}`;
  }
  const back = new Uint8Array(await (await send(`${document}/download`)).arrayBuffer());
  await send(document, { method: 'DELETE' });
  return [
    check(`a file of ${bytes.length / 1e6} MB is uploaded, read by the worker, and downloaded`, [
      status !== 'success' && `Its status is ${status}.`,
      sha256(back) !== sha256(bytes) && `${back.length} bytes came back, and ${bytes.length} were sent.`,
    ]),
  ];
}

const CLIENTS = 4;

interface Traffic {
  /** GET requests, which a proxy can retry; `writes` are the others. */
  reads: number;
  readonly failedReads: string[];
  writes: number;
  readonly failedWrites: string[];
}

/** Sends requests continuously while `work` runs. */
async function during(url: string, work: () => Promise<void>): Promise<Traffic> {
  const traffic: Traffic = { reads: 0, failedReads: [], writes: 0, failedWrites: [] };
  const over = new AbortController();
  const search = { query: 'ferry', search_settings: { use_semantic_search: false, use_fulltext_search: true } };
  const ask = async (what: 'reads' | 'writes', path: string, init?: RequestInit) => {
    traffic[what]++;
    const failed = await send(`${url}/v3${path}`, init).then(
      async (response) =>
        response.ok ? void (await response.arrayBuffer()) : `${path}: ${response.status} ${await response.text()}`,
      (error: unknown) => `${path}: ${error instanceof Error ? `${error.message} ${String(error.cause)}` : error}`,
    );
    if (typeof failed === 'string')
      traffic[what === 'reads' ? 'failedReads' : 'failedWrites'].push(failed.slice(0, 200));
  };
  const client = async () => {
    while (!over.signal.aborted) {
      await ask('reads', '/documents?limit=1');
      await ask('writes', '/retrieval/search', json(search));
    }
  };
  const clients = Array.from({ length: CLIENTS }, client);
  try {
    await work();
  } finally {
    over.abort();
    await Promise.all(clients);
  }
  return traffic;
}

export async function stopping({ url, cluster, asksHealth }: Trial): Promise<Check[]> {
  const [node] = cluster.nodes;
  const server = node?.running;
  if (node === undefined || server === undefined) throw new Error('No server runs.');
  let code: number | null = null;
  const { reads, writes, failedReads, failedWrites } = await during(url, async () => {
    ({ code } = await server.end('SIGTERM'));
    node.running = undefined;
    await cluster.start(node);
  });
  const title = `while a server was stopped and started, all of ${reads + writes} requests were answered`;
  // Requests sent at the moment of the stop may be lost; a proxy retries only reads.
  const mayFail = asksHealth ? 0 : CLIENTS;
  return [
    check(`${title}${failedWrites.length > 0 ? `, but for ${failedWrites.length} that came in that instant` : ''}`, [
      ...failedReads,
      ...(failedWrites.length > mayFail ? failedWrites : []),
      code !== 0 && `The server ended with ${code}.`,
    ]),
  ];
}

export async function killing({ url, cluster }: Trial): Promise<Check[]> {
  const node = cluster.nodes[1];
  const server = node?.running;
  if (node === undefined || server === undefined) throw new Error('No server runs.');
  const { reads, writes, failedReads, failedWrites } = await during(url, async () => {
    await sleep(500);
    await server.kill();
    node.running = undefined;
    await sleep(2_000);
    await cluster.start(node);
  });
  return [
    check(`while a server was killed, all of ${reads} requests that could be repeated were answered`, failedReads),
    check(
      `of ${writes} others only those failed that were with that server: ${failedWrites.length}`,
      failedWrites.length > CLIENTS ? failedWrites : [],
    ),
  ];
}
