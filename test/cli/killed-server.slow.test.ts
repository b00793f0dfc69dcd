import { Client as FormerClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as FormerTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { expect, it, onTestFinished, vi } from 'vitest';
import { type Descendant, descendantsOf, isRunning } from '../support/descendants.ts';
import { PATIENT } from '../support/patience.ts';
import { endlessMarkdown } from '../support/preparation-jobs.ts';
import { type RunningServer, startCitewell } from '../support/run-citewell.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const KINDS = {
  Chroma: /server-process\.js/,
  'a reader': /preparation-process\.js/,
  'a slot of the sandbox': /slot-process\.js/,
};

/** Gives a server work that never ends, for every kind of process that it starts. */
async function keepBusy({ url }: RunningServer): Promise<void> {
  const form = new FormData();
  form.set('file', new Blob([endlessMarkdown()], { type: 'text/markdown' }), 'endless.md');
  fetch(`${url}/v3/documents`, { method: 'POST', body: form }).catch(() => undefined);
  const client = new FormerClient({ name: 'test', version: '1.0.0' });
  await client.connect(new FormerTransport(new URL(`${url}/mcp`)) as never);
  onTestFinished(() => client.close());
  client.callTool({ name: 'python_executor', arguments: { code: 'while True: pass' } }).catch(() => undefined);
}

async function startBusy(cwd: string): Promise<RunningServer> {
  const server = await startCitewell({
    cwd,
    env: { CITEWELL_LOG_LEVEL: 'silent', CITEWELL_MCP_TOOLSETS: 'retrieval,research' },
  });
  onTestFinished(() => server.kill());
  await keepBusy(server);
  return server;
}

async function expectGone(children: readonly Descendant[]): Promise<void> {
  await vi.waitFor(async () => {
    const left = await Promise.all(children.map(async (each) => ((await isRunning(each.pid)) ? [each.command] : [])));
    expect(left.flat()).toEqual([]);
  }, PATIENT);
}

it('leaves no process behind when it is killed while child processes of every kind work', async () => {
  const server = await startBusy(await temporaryFolder());
  let children: readonly Descendant[] = [];
  await vi.waitFor(
    async () => {
      children = await descendantsOf(server.pid);
      for (const [kind, program] of Object.entries(KINDS)) {
        expect(
          children.filter(({ command }) => program.test(command)),
          kind,
        ).not.toEqual([]);
      }
    },
    { ...PATIENT, interval: 20 },
  );
  await server.kill();
  await expectGone(children);
});

it.each([0, 30, 120, 400])(
  'leaves no process behind when it is killed %i ms after they were asked for',
  async (milliseconds) => {
    const server = await startBusy(await temporaryFolder());
    const children = new Map<number, Descendant>();
    const until = performance.now() + milliseconds;
    do for (const child of await descendantsOf(server.pid)) children.set(child.pid, child);
    while (performance.now() < until);
    await server.kill();
    await expectGone([...children.values()]);
  },
);
