import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { fakeLocalServer } from '../support/fake-local-servers.ts';
import { chatReply, embeddingsFor, startFakeOpenAi } from '../support/fake-openai.ts';
import { type RunningServer, type RunOptions, runCitewell, startCitewell } from '../support/run-citewell.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const PACKAGED = 'builtin/static-v1';
const HOSTED = 'hosted/embed-one';

let cwd: string;
let provider: Awaited<ReturnType<typeof startFakeOpenAi>>;
let hosted: Record<string, string>;
beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'citewell-embedders-'));
  await writeFile(
    join(cwd, 'lighthouse.txt'),
    'The lighthouse of Skerry was finished in 1844 and is built of granite.\n',
  );
  provider = await startFakeOpenAi();
  hosted = { CITEWELL_PROVIDERS: `hosted=${provider.baseUrl}`, CITEWELL_PROVIDER_HOSTED_API_KEY: 'sk-secret' };
});
afterAll(async () => {
  await provider.close();
  await rm(cwd, { recursive: true, force: true, maxRetries: 3 });
});

const run = (args: readonly string[], env: RunOptions['env'] = {}) => runCitewell(args, { cwd, env });
const embedderNow = async (env: RunOptions['env'] = hosted) =>
  JSON.parse((await run(['status', '--json'], env)).stdout).embedder;

it('an embedding model of a server on this machine is listed, and used without its address', async () => {
  const ollama = await fakeLocalServer('ollama');
  onTestFinished(ollama.close);
  const folder = await temporaryFolder();
  const at = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
    runCitewell(args, { cwd: folder, env: { CITEWELL_LOCAL_MODELS: `ollama=${ollama.address}`, ...env } });
  const line = 'CITEWELL_EMBEDDING_MODEL=ollama/nomic-embed-text:latest';
  expect((await at(['models', 'list'])).stdout).toMatch(
    new RegExp(`^ollama/nomic-embed-text:latest +embedding +found +\\(Ollama at .*; set ${line}$`, 'm'),
  );
  await writeFile(join(folder, 'ferry.txt'), 'The ferry leaves at noon.\n');
  const [variable = '', model = ''] = line.split('=');
  const ingested = await at(['ingest', 'ferry.txt'], { [variable]: model });
  expect(ingested, ingested.stderr).toMatchObject({ code: 0 });
  const { stdout } = await at(['status', '--json'], { [variable]: model });
  expect(JSON.parse(stdout)).toMatchObject({ embedder: model });
  expect(ollama.requests).toContain('/v1/embeddings');
});

describe('another embedder', () => {
  it('is refused for a corpus that was embedded with the first, naming both and the remedy', async () => {
    expect((await run(['ingest', 'lighthouse.txt'])).code).toBe(0);
    const { code, stderr } = await run(['search', 'granite', '--json'], {
      ...hosted,
      CITEWELL_EMBEDDING_MODEL: HOSTED,
    });
    expect(code).toBe(1);
    expect(JSON.parse(stderr).error.code).toBe('embedding_mismatch');
    for (const word of [PACKAGED, HOSTED, 'citewell reindex']) expect(stderr).toContain(word);
    expect(stderr).not.toContain('sk-secret');
  });

  it('does not prevent reading stored documents, and produces a hint', async () => {
    const { code, stdout } = await run(['status', '--json'], { ...hosted, CITEWELL_EMBEDDING_MODEL: HOSTED });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      embedder: PACKAGED,
      hints: expect.arrayContaining([expect.stringContaining(HOSTED)]),
    });
  });

  it('is used after reindex, and the previous one after reindex --back', async () => {
    const { code, stdout } = await run(['reindex', '--to', HOSTED, '--json'], hosted);
    expect(code).toBe(0);
    expect(JSON.parse(stdout.trim().split('\n').at(-1) ?? '')).toEqual({ type: 'done', embedder: HOSTED, chunks: 1 });
    expect(await embedderNow()).toBe(HOSTED);
    const { results } = JSON.parse((await run(['search', 'granite', '--mode', 'semantic', '--json'], hosted)).stdout);
    expect(results[0].text).toContain('granite');
    expect((await run(['reindex', '--back'], hosted)).stdout).toContain(PACKAGED);
    expect(await embedderNow()).toBe(PACKAGED);
  });

  it('is refused, naming the variable, when it does not exist', async () => {
    const { code, stderr } = await run(['search', 'x'], { CITEWELL_EMBEDDING_MODEL: 'nowhere/x' });
    expect(code).toBe(2);
    expect(stderr).toMatch(/CITEWELL_EMBEDDING_MODEL: .*nowhere/);
  });

  it('that the corpus needs and that is missing is named, with both remedies', async () => {
    await run(['reindex', '--to', HOSTED], hosted);
    const { code, stderr } = await run(['search', 'granite']);
    expect(code).toBe(2);
    for (const word of [HOSTED, 'CITEWELL_PROVIDERS', `citewell reindex --to ${PACKAGED}`])
      expect(stderr).toContain(word);
    expect((await run(['documents', 'list'])).code).toBe(0);
    expect((await run(['reindex', '--to', PACKAGED])).code).toBe(0);
    expect((await run(['search', 'granite'])).code).toBe(0);
  });
});

describe('beside a server', () => {
  let server: RunningServer;
  beforeAll(async () => {
    server = await startCitewell({
      cwd,
      env: { ...hosted, CITEWELL_MODEL: 'hosted/chat-one', CITEWELL_SUMMARIES: 'extract' },
    });
  });
  afterAll(() => server.kill());

  it('a new embedder is used by the server from then on', async () => {
    expect((await run(['reindex', '--to', HOSTED], hosted)).code).toBe(0);
    expect(await embedderNow()).toBe(HOSTED);
    const { results } = JSON.parse((await run(['search', 'granite', '--mode', 'semantic', '--json'])).stdout);
    expect(results[0].text).toContain('granite');
  });

  it('a model writes the answer, and its citations are shown with their passages', async () => {
    // The server's background embedding must not consume the scripted reply.
    const reply = chatReply({ text: 'It was finished in 1844 [1].' });
    provider.otherwise((request) => (request.path.endsWith('/embeddings') ? embeddingsFor(request) : reply));
    const { code, stdout, stderr } = await run([
      'ask',
      'When was the lighthouse finished?',
      '--mode',
      'full_text',
      '--json',
    ]);
    expect(stderr).toBe('');
    const { answer, mode, model, citations } = JSON.parse(stdout);
    expect({ code, answer, mode, model }).toMatchObject({
      code: 0,
      answer: 'It was finished in 1844 [1].',
      mode: 'generative',
      model: expect.stringMatching(/^hosted\//),
    });
    expect(citations[0].quotes[0].text).toContain('finished in 1844');
  });

  it('a model that fails is a failure of the command, with the reason', async () => {
    provider.otherwise((request) =>
      request.path.endsWith('/embeddings')
        ? { status: 200, steps: [] }
        : {
            status: 401,
            headers: { 'content-type': 'application/json' },
            steps: [{ send: '{"error":{"message":"no"}}' }],
          },
    );
    const { code, stderr } = await run(['ask', 'When was the lighthouse finished?', '--mode', 'full_text']);
    expect(code).toBe(1);
    expect(stderr).toMatch(/CITEWELL_PROVIDER_HOSTED_API_KEY/);
  });
});
