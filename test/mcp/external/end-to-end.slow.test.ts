import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished, vi } from 'vitest';
import { chatReply, startFakeOpenAi } from '../../support/fake-openai.ts';
import { PATIENT } from '../../support/patience.ts';
import { runCitewell, startCitewell } from '../../support/run-citewell.ts';

const STRANGE = fileURLToPath(new URL('./hostile-process.ts', import.meta.url));

const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

it('the agent of a server uses external tools, the status names missing servers, and no process is left behind', async () => {
  const cwd = await mkdtemp(join(tmpdir(), 'citewell-outside-'));
  onTestFinished(() => rm(cwd, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }));
  const model = await startFakeOpenAi();
  onTestFinished(() => model.close());
  const env = {
    CITEWELL_PROVIDERS: `fake=${model.baseUrl}`,
    CITEWELL_MODEL: 'fake/gpt',
    CITEWELL_FAST_MODEL: 'fake/gpt',
    CITEWELL_MCP_SERVERS: JSON.stringify({
      mcpServers: {
        strange: { command: process.execPath, args: [STRANGE], tools: ['echo', 'process'] },
        nobody: { url: 'http://127.0.0.1:2/mcp', tools: '*' },
      },
    }),
  };
  const server = await startCitewell({ cwd, env });
  onTestFinished(() => server.kill());
  // Chosen by the request, because the conversation's name may be asked for at any time.
  model.otherwise(({ body: { tools = [], messages } }) => {
    const mayCall = JSON.stringify(tools).includes('strange__process') && messages.at(-1).role === 'user';
    const toolCalls = [{ id: '1', name: 'strange__process', arguments: '{}' }];
    return chatReply(mayCall ? { toolCalls } : { text: 'That is its number.' });
  });
  const ask = async () => {
    const response = await fetch(`${server.url}/v3/retrieval/agent`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query: 'Who are you?', rag_generation_config: { stream: true } }),
    });
    return response.text();
  };
  // A run goes on without the tools of a server that takes longer than two seconds to start; a later one has them.
  await vi.waitFor(async () => expect(await ask()).toContain('strange__process'), PATIENT);
  const read = model.requests.map(({ body }) => JSON.stringify(body)).join('\n');
  const [, pid] = /untrusted-text id=[^>]*>\\n(\d+)\\n</.exec(read) ?? [];
  expect(isRunning(Number(pid))).toBe(true);

  const { stderr } = await runCitewell(['status'], { cwd, env });
  expect(stderr).toContain('The MCP server "nobody" cannot be reached (ECONNREFUSED), so its tools are unavailable.');

  expect((await server.end('SIGTERM')).code).toBe(0);
  await expect.poll(() => isRunning(Number(pid)), PATIENT).toBe(false);
});
