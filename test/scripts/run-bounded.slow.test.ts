import { expect, it } from 'vitest';
import { runBounded } from '../../scripts/foreign-clients/run-bounded.ts';

const run = (code: string, withinMs = 20_000) =>
  runBounded(process.execPath, ['-e', code], { cwd: process.cwd(), env: process.env, withinMs });

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

/** Starts a child that outlives it and holds its pipes, and prints its process identifier. */
const LEAVE_CHILD = `
  const { spawn } = require('node:child_process');
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'inherit' });
  child.unref();
  console.log(child.pid);`;

it('returns what a command wrote, and leaves nothing of it running', async () => {
  const pid = Number(await run(LEAVE_CHILD));
  expect(pid).toBeGreaterThan(0);
  await expect.poll(() => isAlive(pid)).toBe(false);
});

it('ends a command that hangs, with all it started', async () => {
  const error = await run(`${LEAVE_CHILD} setInterval(() => {}, 1000)`, 1_000).catch((caught: Error) => caught);
  expect(String(error)).toMatch(/did not end within 1 s: \d+/);
  const [, pid] = /s: (\d+)/.exec(String(error)) ?? [];
  await expect.poll(() => isAlive(Number(pid))).toBe(false);
});

it('reports a command that fails or does not exist', async () => {
  await expect(run("console.error('no network'); process.exitCode = 3")).rejects.toThrow(
    'ended with code 3: no network',
  );
  const missing = runBounded('/no/such/program', [], { cwd: process.cwd(), env: process.env, withinMs: 1_000 });
  await expect(missing).rejects.toThrow(/ENOENT/);
});
