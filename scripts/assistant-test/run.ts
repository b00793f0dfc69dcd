import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, extname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { work } from './assistant.ts';
import { FILES, QUESTIONS } from './questions.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const PROGRAM = join(ROOT, 'src/cli/citewell.js');
const READ_WITHIN_MS = 120_000;

export const ERAS = ['2025-11-25', '2026-07-28'] as const;
type Era = (typeof ERAS)[number];

export interface Answered {
  readonly question: string;
  /** Rank of the right passage in the first result, from 1; undefined if it is missing. */
  readonly place: number | undefined;
  /** Whether the draft contains the answer. */
  readonly isAnswered: boolean;
  readonly isSupported: boolean;
  readonly tokens: number;
  readonly calls: number;
}

export interface Round {
  readonly transport: 'stdio' | 'HTTP';
  readonly era: Era;
  /** The negotiated protocol revision. */
  readonly version: string | undefined;
  readonly answered: readonly Answered[];
}

/** Ingests the files as a new user does, with `citewell mcp --folder`, and asks all over each transport and era. */
export async function assistantTest(): Promise<{
  readonly files: number;
  readonly formats: readonly string[];
  readonly rounds: readonly Round[];
}> {
  const cwd = await mkdtemp(join(tmpdir(), 'citewell-assistant-'));
  const { PATH = '', HOME = '' } = process.env;
  const env = { PATH, HOME, CITEWELL_LOG_LEVEL: 'error', CITEWELL_DATA_DIR: join(cwd, 'data') };
  const rounds: Round[] = [];
  try {
    const folder = join(cwd, 'files');
    await mkdir(folder);
    for (const file of FILES) await copyFile(join(ROOT, file), join(folder, basename(file)));
    for (const era of ERAS) {
      const args = [PROGRAM, 'mcp', '--folder', folder];
      const transport = new StdioClientTransport({ command: process.execPath, args, cwd, env, stderr: 'ignore' });
      rounds.push(await ask(transport, 'stdio', era));
    }
    const server = spawn(process.execPath, [PROGRAM, 'serve', '--port', '0'], {
      cwd,
      env,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    try {
      let url: string | undefined;
      for await (const line of createInterface({ input: server.stdout })) {
        url = /(http:\/\/\S+)\/v3/.exec(line)?.[1];
        if (url !== undefined) break;
      }
      for (const era of ERAS) {
        rounds.push(await ask(new StreamableHTTPClientTransport(new URL(`${url}/mcp`)), 'HTTP', era));
      }
    } finally {
      server.kill('SIGTERM');
      await once(server, 'exit');
    }
  } finally {
    await rm(cwd, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }
  return { files: FILES.length, formats: [...new Set(FILES.map((file) => extname(file)))], rounds };
}

async function ask(
  transport: StdioClientTransport | StreamableHTTPClientTransport,
  kind: Round['transport'],
  era: Era,
): Promise<Round> {
  const mode = era === '2026-07-28' ? { pin: era } : 'legacy';
  const client = new Client({ name: 'assistant-test', version: '1' }, { versionNegotiation: { mode } });
  await client.connect(transport);
  try {
    await untilRead(client);
    const answered: Answered[] = [];
    for (const { question, file, says } of QUESTIONS) {
      const { first, draft, isSupported, tokens, calls } = await work(client, question);
      const isRight = (text: string) => says.test(text.replaceAll(/\s+/g, ' '));
      const index = first.findIndex(({ text }) => isRight(text));
      answered.push({
        question: `${file}: ${question}`,
        place: index === -1 ? undefined : index + 1,
        isAnswered: isRight(draft),
        isSupported,
        tokens,
        calls,
      });
    }
    return { transport: kind, era, version: client.getNegotiatedProtocolVersion(), answered };
  } finally {
    await client.close();
  }
}

async function untilRead(client: Client): Promise<void> {
  const giveUpAt = performance.now() + READ_WITHIN_MS;
  for (;;) {
    const { structuredContent } = await client.callTool({ name: 'corpus_status', arguments: {} });
    const status = structuredContent as { readonly documents_by_status: Record<string, number> };
    const { success = 0, enriched = 0, ...others } = status.documents_by_status;
    if (success + enriched === FILES.length && Object.keys(others).length === 0) return;
    if (performance.now() > giveUpAt) {
      throw new Error(`The files were not taken in: ${JSON.stringify(status.documents_by_status)}.`);
    }
    await sleep(300);
  }
}
