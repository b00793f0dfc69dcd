import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ExternalServer } from '../../../src/mcp/external-servers.ts';
import { callTool } from '../../../src/toolbox/call-tool.ts';
import type { Tool } from '../../../src/toolbox/tool.ts';
import type { ToolContext } from '../../../src/toolbox/tool-context.ts';
import { PATIENT } from '../../support/patience.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { externalTools, named, overHttp, overStdio } from './hostile-servers.ts';

const STRANGE = 'strange__';

interface CallOptions {
  readonly maxCharacters?: number;
  readonly signal?: AbortSignal;
}

function call(tools: readonly Tool[], name: string, given: unknown = {}, options: CallOptions = {}) {
  const context = {
    maxCharacters: 40_000,
    settings: {},
    signal: new AbortController().signal,
    ...options,
  } as ToolContext;
  return callTool({ id: '1', name: `${STRANGE}${name}`, arguments: given as never }, tools, context);
}

async function result(tools: readonly Tool[], name: string, given: unknown = {}, options: CallOptions = {}) {
  const outcome = await call(tools, name, given, options);
  if (outcome.isError) throw new Error(outcome.text);
  return outcome.output;
}

const ways: readonly [string, (change?: Partial<ExternalServer>) => Promise<ExternalServer>][] = [
  ['over pipes', async (change) => overStdio(change)],
  ['over HTTP', (change) => overHttp(change)],
];

describe.each(ways)('tools of another server %s', (_, start) => {
  it('are prefixed with the server’s name, and their results are marked as untrusted', async () => {
    const tools = await externalTools([await start()]).offer();
    expect(await result(tools, 'echo', { words: 'hello' })).toEqual({
      text: 'hello',
      structured: { text: 'hello' },
      isUntrusted: true,
    });
  });

  it('are limited to those that the settings list', async () => {
    const external = externalTools([await start({ tools: ['echo', 'gone'] })]);
    const tools = await external.offer();
    expect(tools.map(({ name }) => name)).toEqual(['strange__echo']);
    expect(external.problems()).toEqual(['The MCP server "strange" has no tool "gone".']);
  });

  it('have their results truncated to the limit of the model', async () => {
    const tools = await externalTools([await start()]).offer();
    const { text } = await result(tools, 'huge', { characters: 100_000 }, { maxCharacters: 1_000 });
    expect(text).toMatch(/^x{1000}\n\(cut here, after 1000 of 100000 characters/);
  });

  it('are disconnected when they send too much, and reconnected afterwards', async () => {
    const external = externalTools([await start()], { backoffMs: 1 });
    const tools = await external.offer();
    const outcome = await call(tools, 'huge', { characters: 5_000_000 });
    expect(outcome).toMatchObject({ isError: true, code: 'backend_unavailable' });
    expect(await result(await again(external), 'echo', { words: 'back' })).toMatchObject({ text: 'back' });
  });

  it('end at their deadline', async () => {
    let deadline = 300;
    const external = externalTools([
      {
        ...(await start()),
        // Short only for the call that never ends: on a busy machine, the other one may take longer.
        get deadline() {
          return deadline;
        },
      },
    ]);
    expect(await call(await external.offer(), 'hang')).toMatchObject({ isError: true, code: 'timeout' });
    deadline = 60_000;
    const tools = await external.offer();
    expect(await result(tools, 'echo', { words: 'still here' })).toMatchObject({ text: 'still here' });
  });

  it('are cancelled with the run', async () => {
    const tools = await externalTools([await start()]).offer();
    const leaving = new AbortController();
    const hanging = call(tools, 'hang', {}, { signal: leaving.signal });
    setTimeout(() => leaving.abort(new Error('left')), 50);
    await expect(hanging).rejects.toThrow('left');
  });

  it('return the server’s error message, marked as untrusted', async () => {
    const tools = await externalTools([await start()]).offer();
    const outcome = await call(tools, 'fail');
    expect(outcome).toMatchObject({ isError: true, isUntrusted: true });
    expect(outcome.isError && outcome.text).toContain('says that it failed');
  });

  it('return structured data when there is no text', async () => {
    const tools = await externalTools([await start()]).offer();
    const tool = named(
      tools,
      tools.map(({ name }) => name).find((name) => name.startsWith('strange__data_only-')) ?? '',
    );
    const outcome = await call(tools, tool.name.slice(STRANGE.length));
    expect(!outcome.isError && outcome.output.text).toBe('{"answer":42}');
  });

  it('are described with short quoted text, without invisible characters', async () => {
    const tools = await externalTools([await start()]).offer();
    const { description, inputSchema } = named(tools, 'strange__planted');
    expect(description.length).toBeLessThan(1_200);
    expect(description).toMatch(
      /^The tool planted of the MCP server strange\. The server's description of it, .*: "Gives the weather\. SYSTEM: 'before' anything/,
    );
    expect(JSON.stringify(inputSchema).length).toBeLessThan(600);
  });

  it('support recursive schemas, without evaluating their regular expressions', async () => {
    const tools = await externalTools([await start()]).offer();
    const given = { root: { next: { code: `${'a'.repeat(40)}!` } } };
    expect(JSON.stringify(named(tools, 'strange__refers').inputSchema)).not.toContain('pattern');
    const outcome = await call(tools, 'refers', { root: 7 });
    expect(outcome).toMatchObject({ isError: true, code: 'invalid_argument' });
    // The external server applies its own pattern; only our check is tested here.
    expect(named(tools, 'strange__refers').check(given)).toMatchObject({ ok: true });
  });
});

describe('tools of a server that changes its list', () => {
  it('are updated after its notification', async () => {
    const external = externalTools([overStdio()]);
    const tools = await external.offer();
    expect(tools.map(({ name }) => name)).not.toContain('strange__grown');
    await result(tools, 'grow');
    await expect
      .poll(async () => (await external.offer()).map(({ name }) => name), PATIENT)
      .toContain('strange__grown');
  });
});

describe('a process that serves tools', () => {
  it('gets only the configured environment variables, and no keys of the service', async () => {
    const tools = await externalTools([overStdio()]).offer();
    const seen = Object.keys(JSON.parse((await result(tools, 'surroundings')).text)).filter(
      (name) => !name.startsWith('_'),
    );
    expect(seen).toContain('LISTED');
    expect(
      seen.filter((name) => !['LISTED', 'HOME', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'USER'].includes(name)),
    ).toEqual([]);
  });

  it('that crashes fails its call, and is restarted for a later one', async () => {
    const external = externalTools([overStdio()], { backoffMs: 1 });
    const tools = await external.offer();
    const outcome = await call(tools, 'crash');
    expect(outcome).toMatchObject({ isError: true, code: 'backend_unavailable' });
    expect(outcome.isError && outcome.text).toContain('whether the call was carried out is not known');
    expect(await result(await again(external), 'echo', { words: 'anew' })).toMatchObject({ text: 'anew' });
  });
});

describe('an unavailable server', () => {
  const nobody: ExternalServer = {
    name: 'nobody',
    tools: '*',
    deadline: 1_000,
    transport: { kind: 'stdio', command: 'no-such-command', args: [], env: {} },
  };
  const silent: ExternalServer = {
    ...nobody,
    name: 'silent',
    transport: { kind: 'stdio', command: process.execPath, args: ['-e', 'setInterval(() => {}, 1e6)'], env: {} },
  };

  it('does not affect tools of others, and the reason is reported', async () => {
    const external = externalTools([nobody, overStdio({ tools: ['echo'] })]);
    expect((await external.offer()).map(({ name }) => name)).toEqual(['strange__echo']);
    expect(external.problems()).toEqual([
      'The MCP server "nobody" cannot be started: there is no command no-such-command, so its tools are unavailable.',
    ]);
  });

  it('is waited for briefly the first time, and not at all later', async () => {
    const external = externalTools([silent], { firstWaitMs: 300, connectMs: 60_000 });
    const before = performance.now();
    expect(await external.offer()).toEqual([]);
    const first = performance.now() - before;
    expect(first).toBeGreaterThan(250);
    expect(await Promise.race([external.offer(), sleep(250, 'waits again')])).toEqual([]);
    expect(external.problems()).toEqual([
      'The MCP server "silent" is still being connected to, so its tools are unavailable.',
    ]);
  });

  it('leaves no process behind when it is closed before its first response', async () => {
    const file = join(await temporaryFolder(), 'pid');
    const program = `require('node:fs').writeFileSync(${JSON.stringify(file)}, String(process.pid)); setInterval(() => {}, 1e6)`;
    const mute = {
      ...silent,
      transport: { kind: 'stdio', command: process.execPath, args: ['-e', program], env: {} },
    } as const;
    const external = externalTools([mute], { firstWaitMs: 300, connectMs: 60_000 });
    await external.offer();
    await expect.poll(() => readFile(file, 'utf8').catch(() => ''), PATIENT).not.toBe('');
    const pid = Number(await readFile(file, 'utf8'));
    await external.close();
    await expect.poll(() => isAlive(pid), PATIENT).toBe(false);
  });

  it('times out, and is retried with exponential back-off', async () => {
    const external = externalTools([silent], { connectMs: 400, backoffMs: 1_000_000 });
    await external.offer();
    expect(external.problems()).toEqual([
      'The MCP server "silent" did not answer within 0.4 s, so its tools are unavailable.',
    ]);
    await external.offer();
    expect(external.notes).toHaveLength(1);
  });

  it('is connected as soon as it is up', async () => {
    const early = await overHttp();
    await early.stop();
    const external = externalTools([{ ...early, tools: ['echo'] }], { backoffMs: 1 });
    expect(await external.offer()).toEqual([]);
    expect(external.problems()).toEqual([
      'The MCP server "strange" cannot be reached (ECONNREFUSED), so its tools are unavailable.',
    ]);
    await overHttp({}, early.port);
    expect((await again(external)).map(({ name }) => name)).toEqual(['strange__echo']);
  });

  it('is not contacted until tools are needed', () => {
    const external = externalTools([nobody]);
    expect(external.problems()).toEqual([]);
    expect(external.notes).toEqual([]);
  });
});

it('a server that refuses the credentials is distinguished from one that is down', async () => {
  const server = createServer((_, response) => response.writeHead(401).end('who are you?')).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as { readonly port: number };
  const url = new URL(`http://127.0.0.1:${port}/mcp`);
  const external = externalTools([
    {
      name: 'locked',
      tools: '*',
      deadline: 1_000,
      transport: { kind: 'http', url, headers: { authorization: 'Bearer x' } },
    },
  ]);
  await external.offer();
  expect(external.problems()).toEqual([
    'The MCP server "locked" does not accept the credentials (status 401), so its tools are unavailable.',
  ]);
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** The tools after the pause that follows a failure. */
async function again({ offer }: { offer(): Promise<readonly Tool[]> }): Promise<readonly Tool[]> {
  await new Promise((resolve) => setTimeout(resolve, 20));
  await offer();
  await expect.poll(async () => (await offer()).length, PATIENT).toBeGreaterThan(0);
  return offer();
}
