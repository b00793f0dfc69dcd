import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { chatReply } from '../test/support/fake-openai.ts';
import { startFakeProvider } from '../test/support/fake-provider.ts';
import { startFakeTranscriber } from '../test/support/fake-transcription-server.ts';
import { buildBundle, installPackage, packPackage, unpackBundle, unpackPackage } from './packaging/bundle.ts';
import {
  formatsWithoutSample,
  IMAGE_TEXT,
  imageSamples,
  ingestSamples,
  recordingSamples,
  textSamples,
} from './packaging/every-format.ts';
import { bundleManifest, packageFile } from './packaging/manifests.ts';
import { minOffer, offerOf } from './packaging/offers.ts';

// Tests the package as users get it: packs it, installs it into an empty folder without development dependencies,
// starts it and ingests a file of every format; then tests the bundle, started by its manifest. Prints one line per
// check.

/** Time limit of the whole check. */
const MAX_MS = 900_000;
setTimeout(() => {
  console.error(`NOT finished after ${MAX_MS / 60_000} minutes.`);
  process.exit(1);
}, MAX_MS).unref();

let failures = 0;
const folder = mkdtempSync(join(tmpdir(), 'citewell-package-'));
const documents = join(folder, 'documents');
const environment = { PATH: process.env['PATH'] ?? '', HOME: folder };

try {
  mkdirSync(documents);
  writeFileSync(
    join(documents, 'ferry.md'),
    '# Ferry\n\nThe ferry does not sail when the wind is above 18 metres a second.\n',
  );

  const installed = join(folder, 'installed');
  mkdirSync(installed);
  const tarball = packPackage(folder);
  installPackage(tarball, installed);
  const program = join(installed, 'node_modules/citewell/dist/src/cli/citewell.js');
  const version = execFileSync(process.execPath, [program, '--version'], {
    env: environment,
    encoding: 'utf8',
  }).trim();
  expectSame('the version of the installed package', version, packageFile.version);
  const data = { CITEWELL_DATA_DIR: join(folder, 'data') };
  expectSame(
    'the tools of the installed package',
    await toolsOf(process.execPath, [program, 'mcp'], data),
    minOffer().map(({ name }) => name),
  );

  const collector = { ...data, OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' };
  const { stderr } = spawnSync(process.execPath, [program, 'status'], {
    env: { ...environment, ...collector },
    encoding: 'utf8',
  });
  expectSame(
    'whether traces without their packages are explained',
    stderr.includes('npm install @opentelemetry/'),
    true,
  );

  expectSame('the library example in the installed package', runExample(installed), [
    'The ferry stays in the harbour when the wind is above 18 metres a second [1]. The Aurora has 12 free seats today.',
    '[1] verbatim: "The ferry stays in the harbour when the wind is above 18 metres a second."',
  ]);

  expectSame('formats without a sample file', formatsWithoutSample(), []);
  const samples = join(folder, 'samples');
  mkdirSync(samples);
  const ingestFiles = async (files: typeof textSamples, env: Record<string, string>) =>
    toolsOf(process.execPath, [program, 'mcp', '--write', '--allow-dir', samples], env, async (client) => {
      const failed = await ingestSamples(client, samples, files);
      expectSame(
        `files of ${Object.keys(files).length} that the installed package cannot take in and find`,
        failed,
        {},
      );
    });
  await ingestFiles(textSamples, data);

  const model = await startFakeProvider(() => chatReply({ text: IMAGE_TEXT }));
  await ingestFiles(imageSamples, {
    CITEWELL_DATA_DIR: join(folder, 'image-data'),
    CITEWELL_READ_IMAGES: 'ollama/sees',
    CITEWELL_GRAPH: 'off',
    CITEWELL_SUMMARIES: 'extract',
    OLLAMA_BASE_URL: model.origin,
  });
  await model.close();

  const transcriber = await startFakeTranscriber([[200, { text: IMAGE_TEXT }]]);
  await ingestFiles(recordingSamples, {
    CITEWELL_DATA_DIR: join(folder, 'recording-data'),
    CITEWELL_PROVIDERS: `ear=${transcriber.baseUrl}`,
    CITEWELL_TRANSCRIBER: 'ear/whisper-1',
    CITEWELL_GRAPH: 'off',
    CITEWELL_SUMMARIES: 'extract',
  });
  await transcriber.close();

  const bundle = join(folder, 'citewell.mcpb');
  buildBundle(unpackPackage(tarball, folder), bundle);
  const unpacked = join(folder, 'unpacked');
  unpackBundle(bundle, unpacked);
  const { args, env } = startOf(unpacked);
  const names = await toolsOf(process.execPath, args, env, async (client) => {
    const ingested = await client.callTool({ name: 'ingest_file', arguments: { path: join(documents, 'ferry.md') } });
    const found = await client.callTool({ name: 'search_file_knowledge', arguments: { query: 'wind and ferry' } });
    expectSame('an ingestion in the bundle', ingested.isError ?? false, false);
    expectSame('a search in the bundle', JSON.stringify(found.content).includes('18 metres a second'), true);
  });
  const offered = offerOf({ write: true }).map(({ name }) => name);
  expectSame(
    'tools of the bundle that its manifest leaves out',
    names.filter((name) => !offered.includes(name)),
    [],
  );
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
}
// Only now, because 7-Zip, which makes some of the samples, sets the exit code as well.
if (failures > 0) process.exitCode = 1;

/** Type-checks the example of docs/use-as-a-library.md strictly as a separate program, and runs it. */
function runExample(installed: string): string[] {
  const document = readFileSync(new URL('../docs/use-as-a-library.md', import.meta.url), 'utf8');
  const [, code = ''] = /```ts\n([\s\S]*?)```/.exec(document) ?? [];
  const data = join(folder, 'example-data');
  mkdirSync(data);
  const question = 'When does the ferry stay in the harbour?';
  writeFileSync(join(installed, 'example.ts'), code);
  writeFileSync(
    join(installed, 'main.ts'),
    "import { answerWithCitations } from './example.ts';\n" +
      `console.log(await answerWithCitations(${JSON.stringify(data)}, ${JSON.stringify(question)}));\n`,
  );
  const types = fileURLToPath(new URL('../node_modules/@types', import.meta.url));
  const options = { module: 'nodenext', target: 'es2024', noEmit: true, strict: true, types: ['node'] };
  const compilerOptions = { ...options, allowImportingTsExtensions: true, skipLibCheck: false, typeRoots: [types] };
  writeFileSync(join(installed, 'package.json'), '{"private": true, "type": "module"}\n');
  writeFileSync(join(installed, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['main.ts'] }));
  const compiler = fileURLToPath(new URL('../node_modules/typescript/bin/tsc', import.meta.url));
  const run = (args: readonly string[]) =>
    execFileSync(process.execPath, args, { cwd: installed, env: environment, encoding: 'utf8' });
  run([compiler, '-p', '.']);
  return run(['main.ts']).trim().split('\n');
}

/** The start command of the unpacked bundle, as a host builds it if the user has configured only a folder. */
function startOf(unpacked: string): { readonly args: string[]; readonly env: Record<string, string> } {
  const { server } = bundleManifest(process.platform) as {
    readonly server: { readonly mcp_config: { readonly args: string[]; readonly env: Record<string, string> } };
  };
  const values: Readonly<Record<string, string>> = {
    __dirname: unpacked,
    'user_config.documents_folder': documents,
    'user_config.citewell_data_dir': join(folder, 'bundle-data'),
  };
  const fill = (text: string) => text.replaceAll(/\$\{([^}]+)\}/g, (_, name: string) => values[name] ?? '');
  const { args, env } = server.mcp_config;
  return {
    args: args.map(fill),
    env: Object.fromEntries(Object.entries(env).map(([name, value]) => [name, fill(value)])),
  };
}

async function toolsOf(
  command: string,
  args: string[],
  env: Record<string, string>,
  use: (client: Client) => Promise<void> = async () => {},
): Promise<string[]> {
  const client = new Client({ name: 'check', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } });
  await client.connect(new StdioClientTransport({ command, args, cwd: folder, env: { ...environment, ...env } }));
  try {
    const { tools } = await client.listTools();
    await use(client);
    return tools.map(({ name }) => name);
  } finally {
    await client.close();
  }
}

function expectSame(what: string, given: unknown, expected: unknown): void {
  const isSame = JSON.stringify(given) === JSON.stringify(expected);
  console.log(`${isSame ? 'ok  ' : 'NOT '} ${what}: ${JSON.stringify(given)}`);
  if (isSame) return;
  console.error(`     expected ${JSON.stringify(expected)}`);
  failures += 1;
}
