import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { PATIENT, PROMPTLY_MS } from '../support/patience.ts';
import { type RunningServer, runCitewell, startCitewell } from '../support/run-citewell.ts';

const LIGHTHOUSE = `# The lighthouse of Skerry

## Construction

The lighthouse of Skerry was finished in 1844. Its tower is built of granite blocks that were shipped from Tyree.

## Keepers

Three keepers served at a time. They were relieved every six weeks, weather permitting.
`;
const BREAD = 'Rye bread keeps for a week. Sourdough needs a starter of flour and water that is fed every day.\n';

const MISSING = '00000000-0000-4000-8000-000000000000';

let cwd: string;
beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'citewell-cli-'));
  await mkdir(join(cwd, 'papers/more'), { recursive: true });
  await writeFile(join(cwd, 'papers/lighthouse.md'), LIGHTHOUSE);
  await writeFile(join(cwd, 'papers/more/bread.txt'), BREAD);
  await writeFile(join(cwd, 'papers/more/.hidden.txt'), 'not this');
  await writeFile(join(cwd, 'papers/film.mov'), Buffer.of(0, 255));
});
afterAll(() => rm(cwd, { recursive: true, force: true, maxRetries: 3 }));

describe('with no documents', () => {
  it.each(['search', 'ask'])('%s says so, and how to add some', async (command) => {
    const empty = await mkdtemp(join(tmpdir(), 'citewell-empty-'));
    onTestFinished(() => rm(empty, { recursive: true, force: true, maxRetries: 3 }));
    const { code, stderr } = await runCitewell([command, 'lighthouse'], { cwd: empty });
    expect(stderr).toContain('There are no documents yet. Add some: citewell ingest PATH');
    expect(code).toBe(0);
  });
});

const run = (...args: string[]) => runCitewell(args, { cwd });
const jsonOf = (text: string) => JSON.parse(text);
const linesOf = (text: string) => text.trim().split('\n').map(jsonOf);

/** The main workflow, command by command; the same with and without a server. */
function mainJob(isServed: boolean) {
  it('ingests a folder, and reports the outcome of each file', async () => {
    const { code, stdout } = await run('ingest', 'papers', '--metadata', 'year=1844', '--collection', 'Sea', '--json');
    const lines = linesOf(stdout);
    expect(lines.at(-1)).toMatchObject({
      type: 'summary',
      ingested: 2,
      failed: 0,
      skipped: { hidden: 1, unsupported: 1 },
    });
    expect(lines.filter(({ outcome }) => outcome === 'ingested')).toHaveLength(2);
    expect(code).toBe(0);
  });

  it('skips unchanged files and replaces changed ones', async () => {
    await writeFile(join(cwd, 'papers/more/bread.txt'), `${BREAD}Salt slows the yeast.\n`);
    const { code, stdout } = await run('ingest', 'papers', '--metadata', 'year=1844', '--collection', 'Sea', '--json');
    expect(linesOf(stdout).at(-1)).toMatchObject({ ingested: 0, unchanged: 1, replaced: 1, failed: 0 });
    expect(code).toBe(0);
    const { total } = jsonOf((await run('documents', 'list', '--json')).stdout);
    const sorted = jsonOf((await run('documents', 'list', '--sort', 'title', '--reverse', '--json')).stdout);
    const sortedTitles = sorted.documents.map(({ title }: { title: string }) => title.toLowerCase());
    expect(sortedTitles).toEqual(sortedTitles.toSorted().toReversed());
    expect(total).toBe(2);
    await writeFile(join(cwd, 'papers/more/bread.txt'), BREAD);
  });

  it('keeps metadata given with an earlier ingestion of a file', async () => {
    const summary = async (...args: string[]) => linesOf((await run('ingest', ...args, '--json')).stdout).at(-1);
    expect(await summary('papers/lighthouse.md')).toMatchObject({ unchanged: 1, replaced: 0 });
    expect(await summary('papers/lighthouse.md', '--metadata', 'tall=true')).toMatchObject({ replaced: 1 });
    const { documents } = jsonOf((await run('documents', 'list', '--json')).stdout);
    const kept = documents.find(({ document_type: type }: { document_type: string }) => type === 'md');
    expect(kept.metadata).toMatchObject({ year: 1844, tall: true });
    const { versions } = jsonOf((await run('documents', 'versions', kept.id, '--json')).stdout);
    expect(versions.map(({ version }: { version: string }) => version)).toEqual(['v1', 'v0']);
    const past = await run('documents', 'show', kept.id, '--as-of', versions[1].published_at, '--json');
    expect(jsonOf(past.stdout)).toMatchObject({ version: 'v0', metadata: { year: 1844 } });
  });

  it('finds chunks with page, heading and offsets', async () => {
    const { code, stdout, stderr } = await run('search', 'When', 'was', 'the', 'lighthouse', 'finished?', '--json');
    const { results } = jsonOf(stdout);
    expect(results[0]).toMatchObject({
      title: expect.stringMatching(/lighthouse/i),
      heading_path: ['The lighthouse of Skerry'],
      text: expect.stringContaining('finished in 1844'),
      metadata: { year: 1844 },
    });
    expect(LIGHTHOUSE.slice(results[0].start, results[0].end)).toBe(results[0].text);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });

  it('filters and explains', async () => {
    const filter = JSON.stringify({ document_type: { $eq: 'txt' } });
    const { stdout } = await run(
      'search',
      'lighthouse bread',
      '--filter',
      filter,
      '--explain',
      '--mode',
      'hybrid',
      '--json',
    );
    const { results, explanation } = jsonOf(stdout);
    expect(results.map(({ text }: { text: string }) => text)).toEqual([expect.stringContaining('Rye bread')]);
    expect(results[0].explain).toMatchObject({ full_text: { rank: 1 } });
    expect(explanation).toMatchObject({ kind: 'hybrid' });
  });

  it('answers with citations at the exact offsets', async () => {
    const { code, stdout } = await run('ask', 'When was the lighthouse of Skerry finished?', '--json');
    const { answer, citations, mode, model } = jsonOf(stdout);
    expect({ code, mode, model }).toEqual({ code: 0, mode: 'extractive', model: 'builtin/extractive' });
    expect(answer).toContain('[1]');
    const [quote] = citations[0].quotes;
    expect(quote.text).toContain('finished in 1844');
    expect(LIGHTHOUSE.slice(quote.start, quote.end)).toBe(quote.text);
    expect(quote.heading_path[0]).toBe('The lighthouse of Skerry');
  });

  it('shows an answer to people with the passages below it', async () => {
    const { stdout } = await run('ask', 'How often were the keepers relieved?');
    expect(stdout).toMatch(/\[1\][\s\S]*every six weeks[\s\S]*The lighthouse of Skerry.*, characters \d+-\d+/);
  });

  it('checks an answer from a file, and fails where no document says what it says', async () => {
    const answer = 'The lighthouse of Skerry was finished in 1844 [1]. An abbot kept bees and goats in its garden [1].';
    await writeFile(join(cwd, 'answer.txt'), answer);
    const { code, stdout } = await run('check', 'answer.txt');
    expect(code).toBe(1);
    expect(stdout).toMatch(/supported verbatim[\s\S]*“The lighthouse of Skerry was finished in 1844”/);
    expect(stdout).toMatch(/not supported[\s\S]*An abbot kept bees[\s\S]*1 of 2 statements are supported/);
    const { documents } = jsonOf((await run('documents', 'list', '--json')).stdout);
    const { id } = documents.find(({ document_type: type }: { document_type: string }) => type === 'md');
    await writeFile(join(cwd, 'answer.txt'), answer.slice(0, 50));
    const right = await run('check', 'answer.txt', '--source', id, '--json');
    expect(right.code).toBe(0);
    const [statement] = jsonOf(right.stdout).statements;
    expect(statement.citations).toEqual([{ marker: 1, verdict: 'verbatim' }]);
    expect(LIGHTHOUSE.slice(statement.evidence.start, statement.evidence.end)).toBe(statement.evidence.quote);
    expect(statement.evidence.link).toMatch(isServed ? /^http:.*\/d\/.*\?q=\d+-\d+$/ : /^\/d\/.*\?q=\d+-\d+$/);
  });

  it('says in words that there is nothing to check', async () => {
    await writeFile(join(cwd, 'question.txt'), 'Who built the lighthouse?');
    const { code, stdout, stderr } = await run('check', 'question.txt');
    expect(code).toBe(0);
    expect(stdout).toBe('');
    expect(stderr).toContain('states nothing that can be checked');
  });

  it('reports what is stored, and which data folder it used', async () => {
    const status = jsonOf((await run('status', '--json')).stdout);
    expect(status).toMatchObject({
      model: 'builtin/extractive',
      embedder: 'builtin/static-v1',
      web: { search: [], browser: null, robots: true, opened: 0 },
      data: join(cwd, '.citewell'),
      corpus: { documents: 2, failed: 0, unfinished: 0 },
    });
    expect(typeof status.server).toBe(isServed ? 'string' : 'object');
  });

  it('shows and deletes a document, which is not found afterwards', async () => {
    const { documents } = jsonOf((await run('documents', 'list', '--json')).stdout);
    const { id } = documents.find(({ document_type: type }: { document_type: string }) => type === 'txt');
    const shown = jsonOf((await run('documents', 'show', id, '--chunks', '--json')).stdout);
    expect(shown).toMatchObject({ id, ingestion_status: 'success', metadata: { year: 1844 } });
    expect(shown.chunks.map(({ text }: { text: string }) => text).join('')).toContain('Rye bread');

    const deleted = await run('documents', 'delete', id);
    expect(deleted.stdout).toMatch(
      /^Deleted [-\da-f]+\.\n {2}removed: \d+ passages?, .*\n.*\n.*(?:searches no longer find it|not yet)/,
    );
    const { results } = jsonOf((await run('search', 'rye bread', '--json')).stdout);
    expect(JSON.stringify(results)).not.toContain('Rye bread');
    expect(await run('documents', 'show', id)).toMatchObject({ code: 1, stdout: '' });
  });

  it('reports partial failures to scripts with reasons', async () => {
    await writeFile(join(cwd, 'broken.pdf'), '%PDF-1.4\nnothing that a reader could use');
    const { code, stdout, stderr } = await run('ingest', 'broken.pdf', 'papers', '--json');
    const failed = linesOf(stdout).find(({ outcome }) => outcome === 'failed');
    expect(failed).toMatchObject({ name: join(cwd, 'broken.pdf'), reason: expect.stringMatching(/PDF/i) });
    expect(stderr).toContain('broken.pdf');
    expect(stderr).not.toContain('    at ');
    expect(code).toBe(3);
    expect((await run('ingest', 'broken.pdf', '--json')).code).toBe(1);
  });

  it('names each file that fails once, below the summary', async () => {
    for (const name of ['one.pdf', 'two.pdf']) await writeFile(join(cwd, name), '%PDF-1.4\nnothing that can be read');
    const { stderr } = await run('ingest', 'one.pdf', 'two.pdf');
    // On a slow machine there are lines of progress too, which begin with a bar.
    const lines = stderr.split('\n').filter((line) => line.startsWith('  ') && line.includes('.pdf'));
    expect(lines).toEqual([`  ${join(cwd, 'one.pdf')}`, `  ${join(cwd, 'two.pdf')}`]);
    expect(stderr).toContain('failed 2: … is not a readable PDF');
  });
}

describe('without a server', () => mainJob(false));

describe('beside a server', () => {
  let server: RunningServer;
  beforeAll(async () => {
    await rm(join(cwd, '.citewell'), { recursive: true, force: true });
    server = await startCitewell({ cwd });
  });
  afterAll(() => server.kill());

  mainJob(true);

  it('prints model, embedder, data folder and hints at start', async () => {
    // The address is printed first; the hints are last.
    await expect.poll(server.stdout).toMatch(/OPENAI_API_KEY/);
    expect(server.stdout()).toMatch(/builtin\/extractive/);
    expect(server.stdout()).toMatch(/builtin\/static-v1/);
    expect(server.stdout()).toContain(join(cwd, '.citewell'));
  });

  it('requires no authentication, and therefore refuses pages of other origins under any host name', async () => {
    const status = async (headers: Readonly<Record<string, string>>) =>
      (await fetch(`${server.url}/v3/documents`, { headers })).status;
    expect(server.stdout()).toContain('no authentication, this machine only');
    expect(await status({})).toBe(200);
    expect(await status({ origin: 'http://localhost:5173' })).toBe(200);
    expect(await status({ origin: 'https://elsewhere.test' })).toBe(403);
    expect((await fetch(`${server.url}/v3/users/me`)).status).toBe(200);
  });

  it('refuses a second server on the same data folder and names the first', async () => {
    const { code, stderr } = await run('serve', '--port', '0');
    expect(code).toBe(1);
    expect(stderr).toContain(String(server.pid));
  });

  it('stops cleanly and promptly on SIGTERM, the index with it', async () => {
    const index = await indexProcess(cwd);
    const { code, milliseconds } = await server.end('SIGTERM');
    expect(code).toBe(0);
    expect(milliseconds).toBeLessThan(PROMPTLY_MS);
    expect(isRunning(index)).toBe(false);
    await expect(readFile(join(cwd, '.citewell/server.json'))).rejects.toThrow(/ENOENT/);
  });
});

describe('after a server was killed', () => {
  it('leaves no process behind, and the next start has all data', async () => {
    const first = await startCitewell({ cwd });
    onTestFinished(first.kill);
    await run('ingest', 'papers');
    const index = await indexProcess(cwd);
    await first.end('SIGKILL');
    await expect.poll(() => isRunning(index), PATIENT).toBe(false);

    // Without a server first: its leftover files must not be taken for a running server.
    const { results } = jsonOf((await run('search', 'granite blocks', '--json')).stdout);
    expect(results[0].text).toContain('granite');
    const second = await startCitewell({ cwd });
    onTestFinished(second.kill);
    const { total } = jsonOf((await run('documents', '--json')).stdout);
    expect(total).toBeGreaterThanOrEqual(2);
    expect((await second.end('SIGINT')).code).toBe(0);
  });
});

describe('scripts can rely on', () => {
  it('exit code 2 and every invalid variable for an invalid configuration', async () => {
    const env = { CITEWELL_PORT: 'x', CITEWELL_MODEL: 'y' };
    const { code, stderr } = await runCitewell(['status'], { cwd, env });
    expect(code).toBe(2);
    expect(stderr).toMatch(/CITEWELL_PORT[\s\S]*CITEWELL_MODEL/);
  });

  it('errors as JSON on stderr when they ask for JSON', async () => {
    const { code, stderr } = await run('documents', 'show', MISSING, '--json');
    expect(code).toBe(1);
    expect(jsonOf(stderr)).toEqual({ error: { code: 'not_found', message: expect.any(String) } });
  });

  it('a silent exit when the reader of the output has closed the pipe', async () => {
    const { code, stderr } = await runCitewell(['documents', 'list'], {
      cwd,
      onStart: (child) => child.stdout?.destroy(),
    });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });

  it('a doctor that finds no problem on this machine', async () => {
    const { code, stdout } = await run('doctor', '--json');
    const { ok, findings } = jsonOf(stdout);
    expect(findings.filter(({ state }: { state: string }) => state === 'wrong')).toEqual([]);
    expect({ ok, code }).toEqual({ ok: true, code: 0 });
  });

  it('a doctor that says what is wrong and how to repair it', async () => {
    await writeFile(join(cwd, 'not-a-folder'), '');
    const env = { CITEWELL_DATA_DIR: 'not-a-folder', OPENAI_API_KEY: 'sk-very-secret' };
    const { code, stdout, stderr } = await runCitewell(['doctor'], { cwd, env });
    expect(code).toBe(1);
    expect(stdout).toMatch(/WRONG\s+Data folder[\s\S]*CITEWELL_DATA_DIR/);
    expect(stdout).toContain('OPENAI_API_KEY');
    expect(stdout + stderr).not.toContain('sk-very-secret');
  });
});

/** The process of the embedded Chroma, once it has started. */
async function indexProcess(folder: string): Promise<number> {
  const read = async () => Number(/\d+/.exec(await readFile(join(folder, '.citewell/chroma.pid'), 'utf8'))?.[0]);
  return expect.poll(read, PATIENT).toBeGreaterThan(0).then(read);
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
