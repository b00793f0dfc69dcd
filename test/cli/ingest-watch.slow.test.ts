import { appendFile, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { PATIENT } from '../support/patience.ts';
import { runCitewell, startCitewell } from '../support/run-citewell.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

interface Line {
  readonly type: string;
  readonly name?: string;
  readonly outcome?: string;
  readonly document_id?: string;
  readonly [member: string]: unknown;
}

/** Runs `ingest --watch --json` on `notes` and collects its output. */
async function watchNotes(cwd: string, ...args: string[]) {
  const lines: Line[] = [];
  const { promise: started, resolve } = Promise.withResolvers<() => void>();
  const ended = runCitewell(['ingest', '--watch', 'notes', '--json', ...args], {
    cwd,
    onStart: (child) => {
      let text = '';
      child.stdout?.on('data', (data: string) => {
        text += data;
        const whole = text.split('\n');
        text = whole.pop() ?? '';
        for (const line of whole) lines.push(JSON.parse(line));
      });
      resolve(() => child.kill('SIGINT'));
    },
  });
  const stop = await started;
  onTestFinished(async () => {
    stop();
    await ended;
  });
  const said = (wanted: Partial<Line>) =>
    expect.poll(() => lines, PATIENT).toContainEqual(expect.objectContaining(wanted));
  await said({ type: 'watching' });
  return {
    lines,
    said,
    async end() {
      stop();
      const { code, stderr } = await ended;
      expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringMatching(/Stopped watching/) });
    },
  };
}

const documents = async (cwd: string) =>
  JSON.parse((await runCitewell(['documents', 'list', '--json'], { cwd })).stdout).documents as {
    id: string;
    title: string;
    source: string;
  }[];

async function folderOfNotes(): Promise<{ cwd: string; note: (name: string) => string }> {
  const cwd = await temporaryFolder();
  await mkdir(join(cwd, 'notes/harbour'), { recursive: true });
  const note = (name: string) => join(cwd, 'notes', name);
  await writeFile(note('boats.txt'), 'Boats leave at nine.');
  await writeFile(note('harbour/tides.txt'), 'The spring tide rises four metres.');
  await writeFile(join(cwd, 'elsewhere.txt'), 'What is elsewhere stays.');
  await runCitewell(['ingest', 'elsewhere.txt'], { cwd });
  return { cwd, note };
}

it('--watch follows edits, moves and deletions, and catches up with changes made while it was not running', async () => {
  const { cwd, note } = await folderOfNotes();
  const watch = await watchNotes(cwd);
  // Modified just before the start, so the file has to settle first.
  await watch.said({ outcome: 'ingested', name: note('harbour/tides.txt') });
  await watch.said({ outcome: 'ingested', name: note('boats.txt') });

  await writeFile(note('ferries.txt'), 'The ferry leaves');
  await appendFile(note('ferries.txt'), ' at ten.');
  await watch.said({ outcome: 'ingested', name: note('ferries.txt') });
  await writeFile(note('boats.txt'), 'Boats leave at eleven.');
  await watch.said({ outcome: 'replaced', name: note('boats.txt') });
  await rename(note('harbour'), note('port'));
  await watch.said({ type: 'moved', name: note('port/tides.txt'), from: note('harbour/tides.txt') });
  await rm(note('ferries.txt'));
  await watch.said({ type: 'removed', name: note('ferries.txt') });
  await writeFile(note('film.mov'), Buffer.of(0, 255));
  await writeFile(note('.draft.txt'), 'nor this');
  await watch.end();
  expect(watch.lines.filter(({ outcome }) => outcome === 'ingested')).toHaveLength(3);

  const before = await documents(cwd);
  expect(before.map(({ title }) => title).sort()).toEqual(['boats.txt', 'elsewhere.txt', 'tides.txt']);

  // While nothing watches: one file is moved and renamed, one edited, one created.
  await rename(note('port/tides.txt'), note('springs.txt'));
  await writeFile(note('boats.txt'), 'Boats leave at noon.');
  await writeFile(note('new.txt'), 'Something new.');
  const again = await watchNotes(cwd);
  await again.said({ type: 'moved', name: note('springs.txt') });
  await again.said({ outcome: 'replaced', name: note('boats.txt') });
  await again.said({ outcome: 'ingested', name: note('new.txt') });
  await rm(note('new.txt'));
  await again.said({ type: 'removed', name: note('new.txt') });
  await again.end();
  const after = await documents(cwd);
  expect(after.map(({ title }) => title).sort()).toEqual(['boats.txt', 'elsewhere.txt', 'springs.txt']);
  const moved = before.find(({ title }) => title === 'tides.txt');
  expect(after.find(({ title }) => title === 'springs.txt')).toMatchObject({
    id: moved?.id,
    source: expect.stringMatching(/notes\/springs\.txt$/),
  });

  // Plain ingestion still recognises a moved document, and a new file at its old path is another document.
  await mkdir(note('harbour'));
  await writeFile(note('harbour/tides.txt'), 'The neap tide rises one metre.');
  await writeFile(note('springs.txt'), 'The spring tide rises five metres.');
  const { stdout } = await runCitewell(['ingest', 'notes', '--json'], { cwd });
  expect(JSON.parse(stdout.trim().split('\n').at(-1) ?? '')).toMatchObject({ ingested: 1, replaced: 1, unchanged: 1 });
});

it('--sync uses the running server, and an empty folder removes nothing', async () => {
  const { cwd, note } = await folderOfNotes();
  const server = await startCitewell({ cwd });
  onTestFinished(server.kill);
  const watch = await watchNotes(cwd, '--metadata', 'kind=note');
  await watch.said({ outcome: 'ingested', name: note('harbour/tides.txt') });
  await rename(note('boats.txt'), note('harbour/ships.txt'));
  await watch.said({ name: note('harbour/ships.txt') });
  await watch.end();

  await rm(join(cwd, 'notes'), { recursive: true });
  await mkdir(join(cwd, 'notes'));
  const again = await watchNotes(cwd);
  await again.said({ type: 'kept', reason: expect.stringMatching(/not mounted/) });
  expect(await documents(cwd)).toHaveLength(3);
  await again.end();
});
