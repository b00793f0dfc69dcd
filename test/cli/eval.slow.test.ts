import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chatReply, startFakeOpenAi } from '../support/fake-openai.ts';
import { type RunningServer, runCitewell, startCitewell } from '../support/run-citewell.ts';

const LIGHTHOUSE = `# The lighthouse of Skerry

The lighthouse of Skerry was finished in 1844. Its tower is built of granite blocks that were shipped from Tyree.
`;
const BREAD = 'Rye bread keeps for a week. Sourdough needs a starter of flour and water that is fed every day.\n';
const QUESTIONS = [
  { question: 'When was the lighthouse of Skerry finished?', document: 'papers/lighthouse.md', answer: '1844' },
  { question: 'How long does rye bread keep?', passage: 'Rye bread keeps for a week.', answer: 'a week' },
  { question: 'What does sourdough need?', document: 'bread.txt' },
  { question: 'Who won the regatta of Port Ellen?', unanswerable: true },
];

let cwd: string;
beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'citewell-eval-'));
  await mkdir(join(cwd, 'papers'));
  await writeFile(join(cwd, 'papers/lighthouse.md'), LIGHTHOUSE);
  await writeFile(join(cwd, 'papers/bread.txt'), BREAD);
  await writeFile(join(cwd, 'questions.jsonl'), QUESTIONS.map((line) => JSON.stringify(line)).join('\n'));
  await writeFile(join(cwd, 'wrong.jsonl'), '{"question":"granite","document":"bread.txt"}');
  await writeFile(join(cwd, 'bad.jsonl'), '{"question":"a","document":"gone.md"}');
  expect((await run('ingest', 'papers')).code).toBe(0);
});
afterAll(() => rm(cwd, { recursive: true, force: true, maxRetries: 3 }));

const run = (...args: string[]) => runCitewell(args, { cwd });

describe('citewell eval', () => {
  it('measures search and answers, and stores the evaluation', async () => {
    const { code, stdout, stderr } = await run('eval', 'questions.jsonl', '--json');
    // On a slow machine, how far it is.
    expect({ code, stderr: stderr.replace(/^\[[#-]+\] .* questions.*\n/gm, '') }).toEqual({ code: 0, stderr: '' });
    const { file, means, questions, comparison, setup } = JSON.parse(stdout);
    expect(means).toMatchObject({
      'hit@1': 1,
      'ndcg@10': 1,
      answered: 1,
      answer: 1,
      refused: 1,
      right_source: 1,
      supported: 1,
      well_formed: 1,
    });
    expect(setup).toMatchObject({ answers: 'rag', mode: 'default', documents: 2 });
    const refused = { line: 4, unanswerable: true, scores: { refused: 1 }, answer: { refused: true } };
    expect(questions[3]).toMatchObject(refused);
    expect(comparison).toBeNull();
    expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({ is_whole: true, means });
  });

  it('runs nothing when a line is bad, and says which', async () => {
    const { code, stderr } = await run('eval', 'bad.jsonl');
    expect(code).toBe(2);
    expect(stderr).toMatch(/nothing was run:\n {2}line 1: No document is called "gone\.md"/);
    expect((await run('eval', 'missing.jsonl')).stderr).toMatch(/There is no file .*missing\.jsonl/);
  });
});

describe('citewell eval, with a server', () => {
  let server: RunningServer;
  let provider: Awaited<ReturnType<typeof startFakeOpenAi>>;
  beforeAll(async () => {
    provider = await startFakeOpenAi();
    const hosted = { CITEWELL_PROVIDERS: `hosted=${provider.baseUrl}`, CITEWELL_PROVIDER_HOSTED_API_KEY: 'sk-secret' };
    server = await startCitewell({ cwd, env: hosted });
  });
  afterAll(async () => {
    await server.end('SIGTERM');
    await provider.close();
  });

  it('reports what became worse since the last run, and what is found instead', async () => {
    const filter = ['--filter', '{"document_type": {"$eq": "txt"}}'];
    const { code, stdout } = await run('eval', 'questions.jsonl', ...filter, '--fail-on-loss');
    // One question in three is not significant, as the p-value shows.
    expect(code).toBe(0);
    expect(stdout).toMatch(/line 1: When was the lighthouse.*not among the first ten; found instead: bread\.txt/);
    expect(stdout).toMatch(/4 questions in both[\s\S]*filters: \{\} → [\s\S]*worse by ndcg@10:\n.*lighthouse/);
  });

  it('evaluates answers of the agent, and leaves no conversation behind', async () => {
    const { code, stdout } = await run('eval', 'questions.jsonl', '--answers', 'agent', '--fail-below', 'hit@1=1');
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/better by ndcg@10:\n.*lighthouse/) });
    const conversations = await (await fetch(`${server.url}/v3/conversations`)).json();
    expect(conversations).toMatchObject({ total_entries: 0 });
  });

  it('fails when a score is below the requested minimum', async () => {
    const { code, stdout, stderr } = await run('eval', 'wrong.jsonl', '--answers', 'none', '--fail-below', 'hit@1=0.5');
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('hit@1 is below 0.5.') });
    expect(stdout).not.toMatch(/Against/);
    expect((await readdir(join(cwd, '.citewell/evaluations'))).length).toBe(4);
  });

  it('proposes questions in the format that it reads', async () => {
    const { code, stdout, stderr } = await run('eval', 'make', '--count', '2');
    expect(code).toBe(0);
    expect(stderr).toMatch(/consist of words of the corpus/);
    await writeFile(join(cwd, 'made.jsonl'), stdout);
    const { means } = JSON.parse((await run('eval', 'made.jsonl', '--answers', 'none', '--json')).stdout);
    expect(means['hit@10']).toBe(1);
  });

  it('lets a model write questions on request', async () => {
    provider.next(chatReply({ text: '{"question":"What is it made of?"}' }));
    const { stdout, stderr } = await run('eval', 'make', '--count', '1', '--with-model', 'hosted/some-model');
    expect(JSON.parse(stdout)).toMatchObject({
      question: 'What is it made of?',
      note: expect.stringContaining('written by hosted/some-model'),
    });
    expect(stderr).toMatch(/Review them before/);
  });
});
