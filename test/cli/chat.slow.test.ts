import type { ChildProcess } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chatReply, startFakeOpenAi } from '../support/fake-openai.ts';
import { PATIENT } from '../support/patience.ts';
import { type RunningServer, runCitewell, startCitewell } from '../support/run-citewell.ts';

const LIGHTHOUSE = 'The lighthouse of Skerry was finished in 1844.\n\nIts keepers were relieved every six weeks.\n';

let cwd: string;
let provider: Awaited<ReturnType<typeof startFakeOpenAi>>;
let env: Readonly<Record<string, string>>;
beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'citewell-chat-'));
  await writeFile(join(cwd, 'lighthouse.txt'), LIGHTHOUSE);
  provider = await startFakeOpenAi();
  env = { CITEWELL_PROVIDERS: `fake=${provider.baseUrl}`, CITEWELL_MODEL: 'fake/gpt', CITEWELL_FAST_MODEL: 'fake/gpt' };
  expect((await runCitewell(['ingest', 'lighthouse.txt'], { cwd })).code).toBe(0);
});
afterAll(async () => {
  await provider.close();
  await rm(cwd, { recursive: true, force: true, maxRetries: 3 });
});

const searching = chatReply({
  toolCalls: [{ id: 'call_1', name: 'search_file_knowledge', arguments: '{"query":"lighthouse finished"}' }],
});
const linesOf = (text: string) =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

/** The same tests in process and through a server. */
function conversing() {
  it('asks an agent once: its tools, its answer, the source with its passage and verdict, what it cost', async () => {
    provider.next(searching, chatReply({ text: 'It was finished in 1844 [1].' }), chatReply({ text: 'Lighthouse' }));
    const args = ['ask', '--agent', '--max-steps', '5', '--max-tokens', '50000', 'When', 'was', 'it', 'finished?'];
    const { code, stdout, stderr } = await runCitewell(args, { cwd, env });
    expect(stdout).toMatch(
      /^It was finished in 1844 \[1\]\.\n\n\[1\] lighthouse.*lighthouse\.txt\n {4}supported .*\n {4}“The lighthouse of Skerry was finished in 1844\.?”\n {4}characters 0-4[56]\n$/,
    );
    expect(stderr).toMatch(/→ search_file_knowledge query="lighthouse finished"\n {2}✓ search_file_knowledge/);
    expect(stderr).toMatch(/fake\/gpt-4\.1-2025-04-14 · 2 steps · 22 tokens read, 14 written · \d/);
    expect(code).toBe(0);
  });

  it('reads questions from a pipe line by line, in one conversation until a new one is requested', async () => {
    provider.next(
      chatReply({ text: 'In 1844.' }),
      chatReply({ text: 'Finished when' }),
      chatReply({ text: 'Six weeks.' }),
      chatReply({ text: 'Good day.' }),
      chatReply({ text: 'A greeting' }),
    );
    const before = provider.requests.length;
    const input = 'When was it finished?\n\nAnd the keepers?\n/sources\n/hlep\n/new\nHello\n exit \nnever asked\n';
    const { code, stdout, stderr } = await runCitewell(['chat'], { cwd, env, input });
    expect(stdout.split('\n').filter((line) => line !== '')).toEqual(['In 1844.', 'Six weeks.', 'Good day.']);
    expect(stderr).toContain('Unknown command /hlep; did you mean /help?');
    const asked = provider.requests
      .slice(before)
      .map(({ body }) =>
        body.messages
          .filter(({ role }: { role: string }) => role !== 'system')
          .map((each: { content: string }) => each.content),
      );
    expect(asked[2]).toEqual(['When was it finished?', 'In 1844.', 'And the keepers?']);
    expect(asked[3]).toEqual(['Hello']);
    expect(code).toBe(0);
  });

  it('continues a conversation, and emits the events as lines of JSON', async () => {
    provider.next(chatReply({ text: 'In 1844.' }), chatReply({ text: 'Finished when' }));
    const first = await runCitewell(['chat', '--json'], { cwd, env, input: 'When was it finished?' });
    const events = linesOf(first.stdout);
    expect(events.at(-1)).toMatchObject({ event: 'final_answer', data: { generated_answer: 'In 1844.' } });
    const id = events.at(-1).data.conversation_id;
    provider.next(chatReply({ text: 'Granite.' }));
    const second = await runCitewell(['chat', '--conversation', id], { cwd, env, input: 'Of what?\n' });
    expect(second.stdout).toBe('Granite.\n');
    expect(second.stderr).toMatch(/Continuing after 2 messages[\s\S]*When was it finished\?/);
    expect(provider.requests.at(-1)?.body.messages.at(-2)).toMatchObject({ content: 'In 1844.' });
  });

  it('goes on after a failed turn, and exits with its code', async () => {
    const { code, stdout, stderr } = await runCitewell(['chat', '--max-cost', '1'], {
      cwd,
      env,
      input: 'One?\nTwo?\n',
    });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr.match(/A money limit needs a price/g)).toHaveLength(2);
  });

  it('cancels the turn and not the chat on Ctrl-C, and keeps the text written', async () => {
    const reply = chatReply({ text: 'It was finished in the year of' });
    provider.next({ ...reply, steps: [...reply.steps.slice(0, 5), { hang: true }] }, chatReply({ text: 'Go on.' }));
    const started = Promise.withResolvers<ChildProcess>();
    const run = runCitewell(['chat'], { cwd, env, input: { open: true }, onStart: started.resolve });
    const child = await started.promise;
    child.stdin?.write('When was it finished?\n');
    let said = '';
    child.stdout?.on('data', (text) => {
      said += text;
    });
    await expect.poll(() => said, PATIENT).toContain('finished');
    const hanging = provider.requests.at(-1);
    child.kill('SIGINT');
    expect(await hanging?.end).toBe('left');
    child.stdin?.end('Please go on.\n');
    const { code, stdout, stderr } = await run;
    expect(stdout).toMatch(/^It was finished in?.*\nGo on\.\n$/);
    expect(stderr).toContain('the text so far is kept');
    expect(code).toBe(0);
    const messages = provider.requests.findLast(({ body }) =>
      body.messages.some(({ content }: { content: string }) => content === 'Please go on.'),
    )?.body.messages;
    expect(messages.at(-2)).toMatchObject({ role: 'assistant', content: expect.stringMatching(/^It was finished/) });
  });
}

describe('without a server', conversing);

describe('beside a server', () => {
  let server: RunningServer;
  beforeAll(async () => {
    server = await startCitewell({ cwd, env });
  });
  afterAll(() => server.kill());
  conversing();
});
