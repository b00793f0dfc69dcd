import './build-first.js';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { estimateTokens } from '../src/documents/estimate-tokens.ts';

// MCP as seen by hosts and models: size of the tool list, calls per second compared with the same search over /v3, and
// memory after many calls. measure-mcp-start.ts measures the start.
const PROGRAM = fileURLToPath(new URL('../src/cli/citewell.js', import.meta.url));
const CHARACTERS_PER_TOKEN = 4;
const DOCUMENTS = 200;
const SECONDS = 5;
const CONCURRENCY = 8;
const QUESTIONS = [
  'Which environment variable chooses the data folder?',
  'How is a citation checked against its source?',
  'What happens when two processes use one data folder?',
  'Which headers does an API key come in?',
  'How are results of full text and vectors fused?',
  'What does the sandbox keep Python from?',
  'Which R2R endpoints are there?',
  'How does a client resume a stream?',
  'What is done about instructions planted in a document?',
  'Which file formats are read?',
];
const MANY = Number(process.argv[2] ?? 10_000);

const cwd = await mkdtemp(join(tmpdir(), 'citewell-measure-'));
const { PATH = '', HOME = '' } = process.env;
const env = { PATH, HOME, CITEWELL_LOG_LEVEL: 'error' };
const row = (what: string, value: string) => console.log(`${what.padEnd(58)}${value}`);

try {
  await overStdio();
  await overHttp();
} finally {
  await rm(cwd, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
}

async function overStdio(): Promise<void> {
  const client = new Client({ name: 'measure', version: '1' });
  const args = [PROGRAM, 'mcp', '--write'];
  await client.connect(new StdioClientTransport({ command: process.execPath, args, cwd, env, stderr: 'ignore' }));
  const { tools } = await client.listTools();
  for (const [what, list] of [
    ['usual', tools.filter(({ annotations }) => annotations?.readOnlyHint)],
    ['with --write', tools],
  ] as const) {
    const size = JSON.stringify({ tools: list }).length;
    row(
      `tools/list, ${what}: ${list.length} tools`,
      `${size} characters, about ${Math.round(size / CHARACTERS_PER_TOKEN)} tokens`,
    );
  }
  for (let number = 0; number < DOCUMENTS; number++) {
    const text = `Report ${number}. ${`The river number ${number} flows past the town of stone ${number % 17}. `.repeat(20)}`;
    await client.callTool({ name: 'ingest_text', arguments: { title: `Report ${number}`, text } });
  }
  await resultSize(client);
  await client.close();
}

/** Size of a default search result in tokens, over the project's own documentation. */
async function resultSize(client: Client): Promise<void> {
  const docs = fileURLToPath(new URL('../docs', import.meta.url));
  for (const file of await readdir(docs)) {
    if (!file.endsWith('.md')) continue;
    const text = await readFile(join(docs, file), 'utf8');
    await client.callTool({ name: 'ingest_text', arguments: { title: file, text } });
  }
  let [tokens, chunks, ofDocuments] = [0, 0, 0];
  for (const query of QUESTIONS) {
    const result = await client.callTool({ name: 'search_file_knowledge', arguments: { query } });
    const [block] = result.content;
    const { results } = result.structuredContent as { readonly results: readonly { readonly text: string }[] };
    tokens += estimateTokens(block?.type === 'text' ? block.text : '');
    ofDocuments += estimateTokens(results.map(({ text }) => text).join('\n\n'));
    chunks += results.length;
  }
  const mean = (sum: number) => Math.round(sum / QUESTIONS.length);
  row(
    `a default search: ${(chunks / QUESTIONS.length).toFixed(1)} passages`,
    `about ${mean(tokens)} tokens, ${mean(tokens - ofDocuments)} of them not text of documents`,
  );
}

async function overHttp(): Promise<void> {
  const server = spawn(process.execPath, [PROGRAM, 'serve', '--port', '0'], {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    let url = '';
    for await (const line of createInterface({ input: server.stdout })) {
      url = /(http:\/\/\S+)\/v3/.exec(line)?.[1] ?? url;
      if (url !== '') break;
    }
    server.stdout.resume();
    const search = (number: number) => ({ query: `town of stone ${number % 17}`, limit: 10 });
    const overV3 = async (number: number) => {
      const { query, limit } = search(number);
      const body = JSON.stringify({ query, search_settings: { limit, use_hybrid_search: true } });
      const headers = { 'content-type': 'application/json' };
      await (await fetch(`${url}/v3/retrieval/search`, { method: 'POST', headers, body })).json();
    };
    const clientOf = async (mode: 'legacy' | { readonly pin: string }) => {
      const client = new Client({ name: 'measure', version: '1' }, { versionNegotiation: { mode } });
      await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`)));
      return client;
    };
    const [legacy, modern] = [await clientOf('legacy'), await clientOf({ pin: '2026-07-28' })];
    const over = (client: Client) => async (number: number) => {
      await client.callTool({ name: 'search_file_knowledge', arguments: search(number) });
    };
    // The kinds alternate, so that other load affects all alike.
    const kinds = {
      'POST /v3/retrieval/search': overV3,
      'MCP, 2025-11-25': over(legacy),
      'MCP, 2026-07-28': over(modern),
    };
    const counts = new Map<string, number>();
    for (let round = 0; round < 3; round++) {
      for (const [kind, call] of Object.entries(kinds)) {
        counts.set(kind, (counts.get(kind) ?? 0) + (await callsWithin(call, (SECONDS * 1000) / 3)));
      }
    }
    for (const [kind, count] of counts)
      row(`searches per second, ${CONCURRENCY} at once: ${kind}`, (count / SECONDS).toFixed(0));

    const before = await residentMegabytes(server.pid ?? 0);
    for (let done = 0; done < MANY; done += CONCURRENCY) {
      await Promise.all(Array.from({ length: CONCURRENCY }, (_, index) => over(modern)(done + index)));
    }
    row(
      `memory of the server before and after ${MANY} calls`,
      `${before} MB, ${await residentMegabytes(server.pid ?? 0)} MB`,
    );
    await Promise.all([legacy.close(), modern.close()]);
  } finally {
    server.kill('SIGTERM');
    await once(server, 'exit');
  }
}

async function callsWithin(call: (number: number) => Promise<void>, milliseconds: number): Promise<number> {
  const until = performance.now() + milliseconds;
  let count = 0;
  const worker = async () => {
    while (performance.now() < until) {
      await call(count);
      count++;
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
  return count;
}

async function residentMegabytes(pid: number): Promise<number> {
  const ps = spawn('ps', ['-o', 'rss=', '-p', String(pid)]);
  let output = '';
  for await (const part of ps.stdout.setEncoding('utf8')) output += part;
  return Math.round(Number(output) / 1024);
}
