import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { listenForInterruption } from '../../src/cli/interruption.ts';
import { createCommand } from '../../src/cli/main.ts';
import { processOutput } from '../../src/cli/output.ts';
import { createProgram } from '../../src/cli/program.ts';
import { bindingCache } from '../support/embedded-chroma.ts';
import { runInProcess } from '../support/run-in-process.ts';

let cwd: string;
beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'citewell-commands-'));
});
afterAll(() => rm(cwd, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }));

const run = (...args: string[]) => runInProcess(args, { cwd, env: { XDG_CACHE_HOME: join(bindingCache, '..') } });

it('calls what Ctrl-C aborted an interruption', () => {
  const stderr = new PassThrough();
  const output = processOutput(
    new PassThrough() as unknown as NodeJS.WriteStream,
    stderr as unknown as NodeJS.WriteStream,
  );
  const interruption = listenForInterruption(process, { force: () => undefined });
  onTestFinished(interruption.dispose);
  createCommand(['ask', 'When?'], { output, interruption }).complain(AbortSignal.abort().reason);
  expect(String(stderr.read())).toBe('citewell: Interrupted.\n');
});

// The first of these loads the whole program.
describe('scripts can rely on', { timeout: 180_000 }, () => {
  it.each([
    [['frobnicate'], /unknown command.*\(citewell --help explains it\)/s],
    [['search'], /missing required argument.*\(citewell search --help explains it\)/s],
    [['documents', 'show'], /missing required argument.*\(citewell documents show --help explains it\)/s],
    [['search', 'x', '--limit', '0'], /from 1 to 1000/],
    [['search', 'x', '--filter', '{'], /Expected JSON/],
    [['search', 'x', '--filter', '{"a": {"$bad": 1}}'], /\$bad/],
    [['documents', 'show', 'not-an-id'], /not-an-id/],
    [['ingest', 'no-such-file'], /There is no file or folder "no-such-file"/],
    [['ingest', 's3://bucket/papers'], /citewell sources add/],
    [['check', fileURLToPath(new URL('../fixtures/pdfs/korean.pdf', import.meta.url))], /korean\.pdf is not text/],
    [['reindex', '--to', 'openai/x', '--back'], /exclude each other/],
    [['reindex', '--to', 'builtin/x'], /"builtin\/x" is not built in/],
    [['ask', '--model', 'nobody/x', 'x'], /No provider is named "nobody"/],
    [['restore', 'no-such-file'], /There is no file .*no-such-file/],
    [['serve', '--host', '0.0.0.0'], /CITEWELL_HOST.*CITEWELL_AUTH=required/s],
    [['ask', '--max-steps', '3', 'x'], /only with --agent/],
    [['ask', '--agent', '--max-steps', '0', 'x'], /from 1 to 100/],
    [['chat', '--max-seconds', '-1'], /above 0/],
    [['chat', '--conversation', 'x'], /identifier/],
  ])('exit code 2 and no output for %j', async (args, message) => {
    const { code, stdout, stderr } = await run(...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(message);
  });

  it('the name of the help of each command after a usage error', async () => {
    const program = createProgram({ version: '', context: undefined as never, ended: () => {} });
    const lines = linesOf(program, []);
    expect(lines).toContainEqual(['documents', 'show']);
    for (const line of lines) {
      const { code, stderr } = await run(...line, '--no-such-option');
      const hint = stderr.trim().split('\n').at(-1);
      expect({ code, hint }).toEqual({ code: 2, hint: `(citewell ${line.join(' ')} --help explains it)` });
    }
  });

  it('a result without changing the working directory, in which other tests run', async () => {
    const folder = process.cwd();
    const running = run('documents', 'show', 'not-an-id');
    expect(process.cwd()).toBe(folder);
    expect((await running).code).toBe(2);
  });

  it('help on stdout', async () => {
    const { code, stdout, stderr } = await run('--help');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^Usage: citewell/);
  });
});

/** The names that select each command; groups are left out, since they run one of their commands by default. */
function linesOf({ commands }: Command, line: readonly string[]): (readonly string[])[] {
  return commands.length === 0 ? [line] : commands.flatMap((each) => linesOf(each, [...line, each.name()]));
}
