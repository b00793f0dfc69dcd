import './build-first.js';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startServer } from './browser-test/server.ts';
import { type ForeignClient, foreignClients, type Transport } from './foreign-clients/clients.ts';
import type { Drive } from './foreign-clients/drive.ts';
import { runBounded } from './foreign-clients/run-bounded.ts';

const USAGE = `Uses the MCP server with clients of other vendors, over stdio and Streamable HTTP: lists tools, searches, reads,
checks citations and causes an error, and compares what the client would pass to its model.

  npm run -s foreign-clients -- [client…]

Clients: ${Object.keys(foreignClients).join(', ')}. They are installed in a temporary folder, since they have
hundreds of dependencies. Every download and every step has a time limit.`;

const FACT = 'The capital of France is Paris.';
const INSTALL_MS = 240_000;
const DRIVE_MS = 150_000;
const ALL_TRANSPORTS: readonly Transport[] = ['stdio', 'http'];
const PROGRAM = fileURLToPath(new URL('../dist/src/cli/citewell.js', import.meta.url));
const DRIVER = fileURLToPath(new URL('./foreign-clients/drive.ts', import.meta.url));

const { values, positionals } = parseArgs({ options: { help: { type: 'boolean' } }, allowPositionals: true });
const unknown = positionals.filter((name) => !(name in foreignClients));
if (values.help || unknown.length > 0) {
  for (const name of unknown) console.error(`There is no client "${name}".`);
  console.log(USAGE);
  process.exit(values.help ? 0 : 2);
}

const folder = await mkdtemp(join(tmpdir(), 'citewell-foreign-'));
const dataFolder = join(folder, 'data');
await mkdir(dataFolder);
const server = await startServer(dataFolder);
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void cleanUp().finally(() => process.exit(1)));
}
try {
  const documentId = await addFact(server.url);
  for (const name of Object.keys(foreignClients)) {
    if (positionals.length === 0 || positionals.includes(name)) await testClient(name, server.url, documentId);
  }
} finally {
  await cleanUp();
}

async function cleanUp(): Promise<void> {
  await server.stop();
  await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
}

async function addFact(url: string): Promise<string> {
  const form = new FormData();
  form.set('raw_text', FACT);
  const response = await fetch(`${url}/v3/documents`, { method: 'POST', body: form });
  if (!response.ok) throw new Error(`The document was refused: ${await response.text()}`);
  const { results } = (await response.json()) as { readonly results: { readonly document_id: string } };
  return results.document_id;
}

async function testClient(client: string, url: string, documentId: string): Promise<void> {
  const { packages, transports = ALL_TRANSPORTS } = foreignClients[client] as ForeignClient;
  const home = join(folder, client.replaceAll(' ', '-'));
  const [version] = packages;
  try {
    await install(home, packages);
  } catch (error) {
    return report({ isRight: false, client, version, what: 'npm install', note: messageOf(error) });
  }
  const { PATH = '', HOME = '' } = process.env;
  const environment = {
    packages: home,
    url: `${url}/mcp`,
    command: process.execPath,
    args: [PROGRAM, 'mcp'],
    env: { PATH, HOME, CITEWELL_DATA_DIR: dataFolder, CITEWELL_LOG_LEVEL: 'error', MCP_REMOTE_CONFIG_DIR: home },
  };
  for (const transport of transports) {
    const drive: Drive = { ...environment, transport, client, documentId, fact: FACT };
    const startedAt = performance.now();
    const problem = await driveClient(drive);
    const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
    const isRight = problem === undefined;
    report({ isRight, client, version, what: transport, note: problem ?? `${seconds} s` });
  }
}

/** Installs the packages with the full environment, which may configure proxies, registries and certificates. */
async function install(home: string, packages: readonly string[]): Promise<void> {
  await mkdir(home);
  await writeFile(join(home, 'package.json'), '{ "private": true, "type": "module" }\n');
  const flags = ['--no-audit', '--no-fund', '--ignore-scripts', '--prefer-offline', '--loglevel=error'];
  const limits = ['--fetch-timeout=60000', '--fetch-retries=2'];
  await runBounded('npm', ['install', ...flags, ...limits, ...packages], {
    cwd: home,
    env: process.env,
    withinMs: INSTALL_MS,
  });
}

/** Runs a client and returns its first problem; undefined if there is none. */
async function driveClient(drive: Drive): Promise<string | undefined> {
  // Switches off telemetry to the vendors.
  const quiet = { OPENAI_AGENTS_DISABLE_TRACING: '1', MASTRA_TELEMETRY_DISABLED: '1' };
  const env = { ...drive.env, ...quiet };
  try {
    await runBounded(process.execPath, [DRIVER, JSON.stringify(drive)], {
      cwd: drive.packages,
      env,
      withinMs: DRIVE_MS,
    });
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

interface Finding extends Readonly<Record<'client' | 'version' | 'what' | 'note', string>> {
  readonly isRight: boolean;
}

function report({ isRight, client, version, what, note }: Finding): void {
  console.log(`${isRight ? 'ok   ' : 'FAIL '} ${client.padEnd(14)} ${version.padEnd(40)} ${what.padEnd(6)} ${note}`);
  if (!isRight) process.exitCode = 1;
}
