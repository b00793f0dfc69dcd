import { type ChildProcess, spawn } from 'node:child_process';
import { expect, it, onTestFinished } from 'vitest';
import { createReaderProcesses } from '../../src/ingest/reader-processes.ts';

/** Processes that only wait, in the place of those that read. */
function openProcesses() {
  const started: ChildProcess[] = [];
  const processes = createReaderProcesses(() => {
    const worker = spawn('sleep', ['60'], { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
    started.push(worker);
    return worker;
  });
  onTestFinished(processes.close);
  return { processes, started };
}

it('tasks at the same time share the process that the first of them has started', async () => {
  const { processes, started } = openProcesses();
  const taken = [processes.take(), processes.take(), processes.take()];
  for (const each of taken) {
    const worker = await each;
    expect(worker).toBe(started[0]);
    if (worker !== undefined) processes.giveBack(worker);
  }
  expect(started).toHaveLength(1);
});

it('a task that a running process keeps waiting gets another one, after a moment', async () => {
  const { processes, started } = openProcesses();
  const first = await processes.take();
  if (first !== undefined) processes.giveBack(first);
  expect(await processes.take()).toBe(started[0]);
  const since = performance.now();
  expect(await processes.take()).toBe(started[1]);
  expect(performance.now() - since).toBeGreaterThan(45);
});

it('a task waits for a process that is starting, but not for long', async () => {
  const { processes, started } = openProcesses();
  await processes.take();
  const since = performance.now();
  expect(await processes.take()).toBe(started[1]);
  expect(performance.now() - since).toBeGreaterThan(900);
});

it('a task that waits for a process that ends gets a new one at once', async () => {
  const { processes, started } = openProcesses();
  const first = await processes.take();
  const waiting = processes.take();
  const since = performance.now();
  first?.kill();
  expect(await waiting).toBe(started[1]);
  expect(performance.now() - since).toBeLessThan(900);
});

it('no task that waits gets a process after the end', async () => {
  const { processes, started } = openProcesses();
  await processes.take();
  const waiting = processes.take();
  await processes.close();
  expect(await waiting).toBeUndefined();
  expect(started).toHaveLength(1);
});
