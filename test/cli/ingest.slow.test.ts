import { mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { PATIENT, PROMPTLY_MS } from '../support/patience.ts';
import { runCitewell, startCitewell } from '../support/run-citewell.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const FILES = 150;

async function manyFiles(): Promise<string> {
  const cwd = await temporaryFolder();
  await mkdir(join(cwd, 'notes'));
  for (let number = 0; number < FILES; number++) {
    await writeFile(
      join(cwd, `notes/note-${number}.txt`),
      `Note ${number} is about harbour number ${number}.\n`.repeat(20),
    );
  }
  return cwd;
}

const summaryOf = (stdout: string) => JSON.parse(stdout.trim().split('\n').at(-1) ?? '{}');

it.each(['SIGINT', 'SIGKILL'] as const)('an ingestion ended by %s goes on where it stopped', async (signal) => {
  const cwd = await manyFiles();
  const first = await runCitewell(['ingest', 'notes', '--json'], {
    cwd,
    onStart: (child) => {
      let lines = 0;
      child.stdout?.on('data', (text: string) => {
        // Only once: a third Ctrl-C would end the process at once.
        if (lines >= 10) return;
        lines += text.split('\n').length - 1;
        if (lines >= 10) child.kill(signal);
      });
    },
  });
  if (signal === 'SIGINT') {
    expect(first.code).toBe(130);
    expect(first.stderr).toMatch(/same command again/);
    expect(summaryOf(first.stdout).ingested).toBeLessThan(FILES);
  }
  const said = first.stdout.split('\n').filter((line) => line.includes('"ingested"') && line.includes('"document"'));

  const second = await runCitewell(['ingest', 'notes', '--json'], { cwd });
  expect(second.code).toBe(0);
  const { unchanged, ingested, replaced, failed } = summaryOf(second.stdout);
  expect(unchanged).toBeGreaterThanOrEqual(said.length);
  expect({ all: unchanged + ingested + replaced, failed }).toEqual({ all: FILES, failed: 0 });
  const status = JSON.parse((await runCitewell(['status', '--json'], { cwd })).stdout);
  expect(status.corpus).toMatchObject({ documents: FILES, chunks: FILES, unfinished: 0, failed: 0 });
});

it('a server stopped during ingestion ends promptly, and the next start finishes the accepted documents', async () => {
  const cwd = await manyFiles();
  const server = await startCitewell({ cwd });
  onTestFinished(server.kill);
  const { promise: underWay, resolve } = Promise.withResolvers<void>();
  const ingestion = runCitewell(['ingest', 'notes', '--json'], {
    cwd,
    onStart: (child) => void child.stdout?.once('data', () => resolve()),
  });
  await underWay;
  const { code, milliseconds } = await server.end('SIGTERM');
  expect(code).toBe(0);
  expect(milliseconds).toBeLessThan(PROMPTLY_MS);
  const { code: clientCode, stdout, stderr } = await ingestion;
  // The command takes the data folder over when the server has gone, and finishes by itself.
  expect({ clientCode, stderr }).toMatchObject({ clientCode: 0 });
  expect(summaryOf(stdout)).toMatchObject({ type: 'summary', failed: 0 });

  const next = await startCitewell({ cwd });
  onTestFinished(next.kill);
  const corpus = async () => JSON.parse((await runCitewell(['status', '--json'], { cwd })).stdout).corpus;
  await expect.poll(corpus, PATIENT).toMatchObject({ unfinished: 0, failed: 0 });
  const { documents, chunks } = await corpus();
  expect(chunks).toBe(documents);
});

it('ingests a web page, but none of this machine or its network unless allowed', async () => {
  const cwd = await temporaryFolder();
  const server = createServer((_, response) => {
    response.setHeader('content-type', 'text/html; charset=utf-8');
    response.end('<title>Tides</title><main><h1>Tides</h1><p>The spring tide at Lunga rises four metres.</p></main>');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close().closeAllConnections());
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/tides`;

  const refused = await runCitewell(['ingest', address, '--json'], { cwd });
  expect(refused.code).toBe(1);
  expect(refused.stderr).toMatch(/not an address of the public internet/);

  expect((await runCitewell(['ingest', address, '--allow-private-addresses'], { cwd })).code).toBe(0);
  const { results } = JSON.parse((await runCitewell(['search', 'spring tide', '--json'], { cwd })).stdout);
  expect(results[0]).toMatchObject({ title: 'Tides', text: expect.stringContaining('four metres') });
});
