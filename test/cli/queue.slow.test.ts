import { expect, it, onTestFinished } from 'vitest';
import { PATIENT } from '../support/patience.ts';
import { type RunningServer, runCitewell, startCitewell } from '../support/run-citewell.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const DOCUMENTS = 60;

async function queue(server: RunningServer, number: number): Promise<string> {
  const body = new FormData();
  body.set('raw_text', `Note ${number} is about harbour number ${number}.\n`.repeat(50));
  const response = await fetch(`${server.url}/v3/documents`, { method: 'POST', body });
  const { results } = (await response.json()) as { results: { task_id: string } };
  return results.task_id;
}

async function backlog({ url }: RunningServer) {
  const { results } = (await (await fetch(`${url}/v3/system/status`)).json()) as {
    results: { citewell: { ingestion: { queued: number; running: number } } };
  };
  return results.citewell.ingestion;
}

it('a server killed while its queue is not empty finishes all acknowledged uploads after the next start', async () => {
  const cwd = await temporaryFolder();
  const server = await startCitewell({ cwd, env: { CITEWELL_INGEST: 'queue' } });
  onTestFinished(server.kill);
  const tasks = await Promise.all(Array.from({ length: DOCUMENTS }, (_, number) => queue(server, number)));
  const before = await backlog(server);
  expect(before.queued + before.running).toBeGreaterThan(0);
  await server.end('SIGKILL');

  const { stdout } = await runCitewell(['status'], { cwd });
  expect(stdout).toMatch(/backlog +[1-9]\d* to be ingested/);

  const next = await startCitewell({ cwd });
  onTestFinished(next.kill);
  await expect.poll(() => backlog(next), PATIENT).toMatchObject({ queued: 0, running: 0, failed: 0 });
  for (const id of tasks) {
    const { results } = (await (await fetch(`${next.url}/v3/tasks/${id}`)).json()) as { results: { state: string } };
    expect(results).toMatchObject({ state: 'succeeded' });
  }
  const retried = await runCitewell(['ingest', 'retry', '--json'], { cwd });
  expect(JSON.parse(retried.stdout)).toMatchObject({ retried: 0, queued: 0, failed: 0 });
  expect(retried.code).toBe(0);
});
