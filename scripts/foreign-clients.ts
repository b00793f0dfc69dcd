import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';

/**
 * Tests the MCP server with clients of other vendors from the registry: what each passes to its model. They have many
 * dependencies, so they are installed in a temporary folder and not with the project.
 */
const PACKAGES = [
  'mcp-remote@0.15.1',
  '@ai-sdk/mcp@2.0.47',
  '@openai/agents@0.20.0',
  '@modelcontextprotocol/inspector@2.12.0',
];
const PROGRAM = fileURLToPath(new URL('../src/cli/citewell.js', import.meta.url));
const QUERY = { query: 'capital of France' };
const WANTED = 'The capital of France is Paris.';

const folder = await mkdtemp(join(tmpdir(), 'citewell-foreign-'));
const { PATH = '', HOME = '' } = process.env;
const env = { PATH, HOME, CITEWELL_LOG_LEVEL: 'error' };

try {
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  await run('npm', ['install', '--no-audit', '--no-fund', '--silent', ...PACKAGES]);
  const server = spawn(process.execPath, [PROGRAM, 'serve', '--port', '0'], {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const url = await addressOf(createInterface({ input: server.stdout }));
    server.stdout.resume();
    const form = new FormData();
    form.set('raw_text', WANTED);
    await fetch(`${url}/v3/documents`, { method: 'POST', body: form });
    for (const [name, check] of Object.entries(checksOf())) await report(name, check(`${url}/mcp`));
  } finally {
    server.kill('SIGTERM');
    await once(server, 'exit');
  }
} finally {
  await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
}

async function report(name: string, check: Promise<string>): Promise<void> {
  try {
    const got = await check;
    if (!got.includes(WANTED)) throw new Error(`the answer did not arrive: ${got.slice(0, 300)}`);
    console.log(`ok    ${name}`);
  } catch (error) {
    console.log(`FAIL  ${name}: ${error instanceof Error ? error.message : String(error)}`);
    process.exitCode = 1;
  }
}

async function load<Module>(name: string, file: string): Promise<Module> {
  return import(pathToFileURL(join(folder, 'node_modules', name, file)).href);
}

interface OpenAiServer {
  connect(): Promise<void>;
  callTool(name: string, given: object): Promise<unknown>;
  close(): Promise<void>;
}

interface AiSdkClient {
  tools(): Promise<Record<string, { execute(given: object, options: object): Promise<unknown> }>>;
  close(): Promise<void>;
}

/** What each client would pass to its model. */
function checksOf(): Readonly<Record<string, (url: string) => Promise<string>>> {
  const openAi = () =>
    load<{
      readonly MCPServerStreamableHttp: new (options: object) => OpenAiServer;
      readonly MCPServerStdio: new (options: object) => OpenAiServer;
    }>('@openai/agents', 'dist/index.mjs');
  const throughOpenAi = async (server: OpenAiServer) => {
    await server.connect();
    const content = await server.callTool('search_file_knowledge', QUERY);
    await server.close();
    return JSON.stringify(content);
  };
  return {
    'mcp-remote': async (url) => {
      const client = new Client({ name: 'check', version: '1' });
      const args = [
        join(folder, 'node_modules/mcp-remote/dist/proxy.js'),
        url,
        '--transport',
        'http-only',
        '--allow-http',
      ];
      await client.connect(new StdioClientTransport({ command: process.execPath, args, env, stderr: 'ignore' }));
      const result = await client.callTool({ name: 'search_file_knowledge', arguments: QUERY });
      await client.close();
      return JSON.stringify(result);
    },
    '@ai-sdk/mcp': async (url) => {
      const { createMCPClient } = await load<{ createMCPClient(options: object): Promise<AiSdkClient> }>(
        '@ai-sdk/mcp',
        'dist/index.js',
      );
      const client = await createMCPClient({ transport: { type: 'http', url } });
      const { search_file_knowledge: tool } = await client.tools();
      const result = await tool?.execute(QUERY, { toolCallId: '1', messages: [] });
      await client.close();
      return JSON.stringify(result);
    },
    '@openai/agents over HTTP': async (url) =>
      throughOpenAi(new (await openAi()).MCPServerStreamableHttp({ url, name: 'citewell' })),
    '@openai/agents over stdio': async () =>
      throughOpenAi(
        new (await openAi()).MCPServerStdio({ command: process.execPath, args: [PROGRAM, 'mcp'], cwd: folder, env }),
      ),
    'inspector, schemas under --strict': async (url) => {
      await inspect(url, '--method', 'tools/list', '--strict');
      return WANTED;
    },
    'inspector, a call of revision 2026-07-28': (url) =>
      inspect(
        url,
        ...['--protocol-era', 'modern', '--method', 'tools/call', '--tool-name', 'search_file_knowledge'],
        ...['--tool-args-json', JSON.stringify(QUERY), '--format', 'json'],
      ),
  };
}

function inspect(...args: readonly string[]): Promise<string> {
  return run(process.execPath, [join(folder, 'node_modules/.bin/mcp-inspector'), '--cli', ...args]);
}

async function run(command: string, args: readonly string[]): Promise<string> {
  const child = spawn(command, args, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'], env: { PATH, HOME } });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    output += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text) => {
    output += text;
  });
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`${command} exited with ${code}: ${output.slice(-600)}`);
  return output;
}

async function addressOf(lines: AsyncIterable<string>): Promise<string> {
  for await (const line of lines) {
    const [, url] = /(http:\/\/\S+)\/v3/.exec(line) ?? [];
    if (url !== undefined) return url;
  }
  throw new Error('The server did not start.');
}
