import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Client } from '../src/cli/client.ts';
import { connect } from '../src/cli/connect.ts';
import { httpClient } from '../src/cli/http-client.ts';
import { listenForInterruption } from '../src/cli/interruption.ts';
import { endOnBrokenPipe, type Output, processOutput } from '../src/cli/output.ts';
import { duration } from '../src/cli/progress-line.ts';
import { showCitations } from '../src/cli/show-citations.ts';
import { loadConfig } from '../src/config.ts';
import { ingestAll } from '../src/ingest/ingest-all.ts';

// The compiled version of this file is in `dist/scripts`.
const SAMPLES = fileURLToPath(
  new URL(import.meta.filename.endsWith('.js') ? '../../scripts/samples' : 'samples', import.meta.url),
);
const QUESTIONS = [
  'How often is the horn sounded in fog?',
  'How many passengers were carried in 2024?',
  'How many days ahead does a group have to book?',
];

const output = processOutput(process.stdout, process.stderr);
/** For the answers, which are indented below their questions. */
const indented: Output = {
  ...output,
  // A long quote is a text of several lines.
  print: (text = '') => output.print(text.replace(/^(?=.)/gm, '   ')),
  width: output.width - 3,
};
const title = (text: string) => output.print(`\n${output.style(['bold', 'cyan'], text)}\n`);

/** Demonstrates the main use case in a temporary folder: ingests documents and answers questions with citations. */
async function demo(folder: string, signal: AbortSignal): Promise<void> {
  const startedAt = performance.now();
  // Ignores the environment, so that the result is the same everywhere: no key, no network.
  const config = loadConfig({ env: {}, cwd: folder });
  const client = await httpClient(await connect(config, { output }));
  try {
    title('1. Ingesting the documents of a small ferry company (scripts/samples)');
    await ingestSamples(client, config.dataDir, signal);
    title('2. Asking three questions');
    for (const question of QUESTIONS) await ask(client, question, signal);
    await showStatus(client);
  } finally {
    await client.close();
  }
  title('3. Now with your own documents');
  output.print('   npm run -s cli -- ingest PATH          files, folders, globs, web pages');
  output.print('   npm run -s cli -- ask "QUESTION"       an answer with its sources');
  output.print('   npm start                              the web page at http://127.0.0.1:7272, HTTP under /v3');
  output.print();
  output.print('   These answers were quotations, chosen without a language model. For written ones with the same');
  output.print('   citations, set OPENAI_API_KEY or ANTHROPIC_API_KEY; .env.example lists every setting.');
  output.print(output.style('dim', `\n   ${duration((performance.now() - startedAt) / 1000)}, all on this machine.`));
}

async function ingestSamples(client: Client, dataFolder: string, signal: AbortSignal): Promise<void> {
  const steps = ingestAll(await samples(), {
    client,
    dataFolder,
    metadata: { company: 'Skerry Line' },
    collections: [],
    stop: signal,
    abandon: signal,
  });
  for await (const step of steps) {
    if (step.type !== 'result') continue;
    const isIn = step.outcome !== 'failed';
    const mark = isIn ? output.style('green', 'in    ') : output.style('red', 'failed');
    output.print(`   ${mark}  ${basename(step.name)}${isIn ? '' : `: ${step.reason}`}`);
    if (!isIn) process.exitCode = 1;
  }
}

async function samples(): Promise<string[]> {
  const names = (await readdir(SAMPLES)).filter((name) => name !== 'README.md').toSorted();
  return names.map((name) => join(SAMPLES, name));
}

async function ask(client: Client, question: string, signal: AbortSignal): Promise<void> {
  output.print(output.style('bold', `   ${question}`));
  output.print();
  const events = client.ask({ query: question, limit: 8, filters: {} }, signal);
  for await (const event of events) {
    if (event.type !== 'answer') continue;
    for (const line of event.answer.text.split('\n')) indented.print(line);
    await showCitations(event.answer.citations, client, indented);
  }
  output.print();
}

async function showStatus(client: Client): Promise<void> {
  const { corpus, model, embedder } = await client.status();
  const amounts = `${corpus.documents} documents in ${corpus.chunks} passages`;
  output.print(output.style('dim', `   ${amounts}; answered by ${model}, embedded by ${embedder}.`));
}

const folder = await mkdtemp(join(tmpdir(), 'citewell-demo-'));
const interruption = listenForInterruption(process, { force: () => process.exit(130) });
endOnBrokenPipe(process.stdout, interruption.onBrokenPipe);
try {
  output.print('Citewell answers over your own documents, with citations you can check.');
  await demo(folder, interruption.stop);
} catch (error) {
  if (interruption.received() === undefined) throw error;
  if (interruption.received() !== 'EPIPE') output.note('Stopped.');
  process.exitCode = interruption.received() === 'EPIPE' ? 0 : 130;
} finally {
  await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  interruption.dispose();
}
