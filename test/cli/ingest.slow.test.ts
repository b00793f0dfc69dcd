import type { ChildProcess } from 'node:child_process';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { makeZip } from '../ingest/make-docx.ts';
import { makeRar, makeSevenZip } from '../ingest/make-packed.ts';
import { descendantsOf } from '../support/descendants.ts';
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

/** An archive whose directory says that its file is encrypted. */
function protectedZip(): Buffer {
  const zip = Buffer.from(makeZip([{ name: 'plan.txt', content: 'Boats.' }]));
  zip.writeUInt8(1, zip.indexOf('PK\x01\x02', 0, 'latin1') + 8);
  return zip;
}

const summaryOf = (stdout: string) => JSON.parse(stdout.trim().split('\n').at(-1) ?? '{}');

it.each(['SIGINT', 'SIGKILL'] as const)('an ingestion ended by %s continues where it stopped', async (signal) => {
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
    // No stage begins that would only be stopped.
    expect(first.stderr).not.toMatch(/next server/);
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

it('finishes a document that is being read when Ctrl-C in a terminal reaches all processes', async () => {
  const cwd = await temporaryFolder();
  await writeFile(join(cwd, 'note.txt'), 'The harbour master has the key.');
  const interruptGroup = async ({ pid = 0 }: ChildProcess) => {
    const isReading = async () =>
      (await descendantsOf(pid)).some(({ command }) => command.includes('preparation-process'));
    await vi.waitUntil(isReading, PATIENT);
    process.kill(-pid, 'SIGINT');
  };
  const { code, stdout, stderr } = await runCitewell(['ingest', 'note.txt'], {
    cwd,
    // As the leader of a process group of its own, like a command that a shell starts.
    via: ['setsid'],
    onStart: (child) => void interruptGroup(child),
  });
  expect({ code, stdout, stderr }).toEqual({
    code: 130,
    stdout: expect.stringContaining('1 ingested'),
    stderr: expect.not.stringContaining('failed'),
  });
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

it('--dry-run ingests nothing and predicts the outcome for each file', async () => {
  const cwd = await temporaryFolder();
  const notes = join(cwd, 'notes');
  await mkdir(notes);
  const hidden = [{ name: 'note.txt', content: 'The key is under the mat.' }];
  const files: Readonly<Record<string, string | Buffer>> = {
    'tides.md': 'The spring tide at Lunga rises four metres.',
    'empty.md': '',
    'film.mov': Buffer.of(0, 255),
    'controls.dat': '\u0001\u0002\u0003\u0004hello',
    // The content decides, not the name.
    'picture.txt': Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'),
    'photo.png': Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'),
    'damaged.docx': Buffer.concat([Buffer.from('PK\u0003\u0004'), Buffer.alloc(200)]),
    'long.css': Buffer.alloc(10_000_001, ' '),
    'protected.zip': protectedZip(),
    'protected.7z': Buffer.from(await makeSevenZip(hidden, { options: ['-psecret'] })),
    'protected.rar': makeRar(hidden, { isEncrypted: true }),
    'open.rar': makeRar([{ name: 'boats.txt', content: 'Boats land at dusk.' }]),
  };
  for (const [name, bytes] of Object.entries(files)) await writeFile(join(notes, name), bytes);
  await symlink('gone', join(notes, 'dead.md'));
  await symlink('circle', join(notes, 'circle'));
  const outcomes = async (...options: string[]) => {
    const { code, stdout } = await runCitewell(['ingest', 'notes', '--json', ...options], { cwd });
    const lines = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const ofFiles = lines.slice(0, -1).map(({ type, outcome, name, reason }) => {
      const what = outcome ?? type;
      return `${name.slice(notes.length + 1)}: ${what === 'source' ? 'ingested' : what}, ${reason}`;
    });
    return { code, files: ofFiles.toSorted() };
  };
  const predicted = await outcomes('--dry-run');
  expect(JSON.parse((await runCitewell(['documents', 'list', '--json'], { cwd })).stdout).documents).toEqual([]);
  expect(predicted).toEqual(await outcomes());
  expect(predicted).toMatchObject({
    code: 3,
    files: [
      'circle: failed, It cannot be read: its links lead in a circle.',
      'controls.dat: skipped, unsupported',
      expect.stringMatching(/^damaged\.docx: failed, .* is not a file of type docx: the archive is damaged/),
      'dead.md: skipped, missing',
      'empty.md: skipped, empty',
      'film.mov: skipped, unsupported',
      expect.stringMatching(/^long\.css: failed, .* may have 10\.0 MB\. Split it, or raise CITEWELL_MAX_FILE_MB\.$/),
      'open.rar: ingested, undefined',
      'photo.png: skipped, picture',
      'picture.txt: skipped, picture',
      'protected.7z: failed, protected.7z is encrypted and needs a password. Save it without one first.',
      'protected.rar: failed, protected.rar is encrypted and needs a password. Save it without one first.',
      'protected.zip: failed, protected.zip is encrypted and needs a password. Save it without one first.',
      'tides.md: ingested, undefined',
    ],
  });
});
