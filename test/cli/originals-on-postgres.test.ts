import { execFile } from 'node:child_process';
import { expect, it, onTestFinished, vi } from 'vitest';
import { memoryVectorIndex } from '../../src/store/memory/memory-vector-index.ts';
import { openPostgresStore } from '../../src/store/postgres/open-postgres-store.ts';
import { startEmbeddedChroma } from '../support/embedded-chroma.ts';
import { describePostgres, postgresDatabase } from '../support/engines.ts';
import { PATIENT } from '../support/patience.ts';
import { runCitewell, startCitewell } from '../support/run-citewell.ts';
import { startS3Server } from '../support/s3-server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

describePostgres('Uploaded files in S3', () => {
  it('are moved, shared by servers, backed up and restored to another database and prefix', async () => {
    const s3 = await startS3Server(await temporaryFolder());
    onTestFinished(() => s3.stop());
    const chroma = await startEmbeddedChroma();
    onTestFinished(() => chroma.close());
    const access = {
      CITEWELL_DATABASE_URL: await postgresDatabase(),
      CHROMA_URL: chroma.server.kind === 'running' ? chroma.server.url : '',
      CITEWELL_ORIGINALS_ENDPOINT: s3.endpoint(),
      AWS_ACCESS_KEY_ID: 'S3RVER',
      AWS_SECRET_ACCESS_KEY: 'S3RVER',
    };
    const env = { ...access, CITEWELL_ORIGINALS: 's3://originals/kb' };
    const start = async (settings: Readonly<Record<string, string>>) => {
      const server = await startCitewell({ cwd: await temporaryFolder(), env: settings });
      onTestFinished(server.kill);
      const upload = async (text: string): Promise<string> => {
        const form = new FormData();
        form.set('file', new Blob([text], { type: 'text/plain' }), `${text.slice(0, 5)}.txt`);
        const response = await fetch(`${server.url}/v3/documents`, { method: 'POST', body: form });
        return ((await response.json()) as { results: { document_id: string } }).results.document_id;
      };
      const download = async (id: string) => (await fetch(`${server.url}/v3/documents/${id}/download`)).text();
      return { ...server, upload, download };
    };
    const first = await start(access);
    const ferry = await first.upload('Ferry at noon.');
    const cwd = await temporaryFolder();
    const move = ['migrate', 'originals', '--to', 's3://originals/kb'];
    expect((await runCitewell(move, { cwd, env: access })).stderr).toMatch(/A server uses the database .* Stop all/);
    await first.end('SIGTERM');
    const moved = await runCitewell(move, { cwd, env: access });
    expect(moved, moved.stderr).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Moved 1 file,/) });

    const [one, two] = [await start(env), await start(env)];
    const harbour = await one.upload('Harbour of Skerry.');
    expect([await one.download(ferry), await two.download(harbour)]).toEqual(['Ferry at noon.', 'Harbour of Skerry.']);
    const metrics = await (await fetch(`${one.url}/metrics`)).text();
    expect(metrics).toContain('citewell_originals_state{state="ready"} 1');
    const backup = await runCitewell(['backup', 'all.tar'], { cwd, env });
    expect(backup, backup.stderr).toMatchObject({ code: 0 });
    await fetch(`${two.url}/v3/documents/${harbour}`, { method: 'DELETE' });
    await vi.waitFor(async () => expect(await s3.list('kb')).toHaveLength(1), PATIENT);
    await Promise.all([one.end('SIGTERM'), two.end('SIGTERM')]);

    const other = { ...env, CITEWELL_DATABASE_URL: await postgresDatabase(), CITEWELL_ORIGINALS: 's3://originals/new' };
    const restored = await runCitewell(['restore', 'all.tar'], { cwd, env: other });
    expect(restored, restored.stderr).toMatchObject({ code: 0 });
    expect(await s3.list('new')).toHaveLength(2);
    expect(await (await start(other)).download(harbour)).toBe('Harbour of Skerry.');
  }, 300_000);

  it('lose nothing that was acknowledged when a server is killed, and leave no object without a record', async () => {
    const s3 = await startS3Server(await temporaryFolder());
    onTestFinished(() => s3.stop());
    const url = await postgresDatabase();
    const program = new URL('../support/begin-endlessly.ts', import.meta.url).pathname;
    const child = execFile(process.execPath, [program, url, JSON.stringify(s3.settings('kb'))], () => {});
    let output = '';
    child.stdout?.on('data', (text: string) => {
      output += text;
      if (output.split('\n').length > 30) child.kill('SIGKILL');
    });
    await new Promise((resolve) => child.once('close', resolve));
    const acknowledged = output.split('\n').slice(0, -1);
    expect(acknowledged.length).toBeGreaterThan(20);
    const store = await openPostgresStore({
      url,
      index: memoryVectorIndex(),
      embeddingText: ({ text }) => text,
      objects: s3.open('kb'),
    });
    onTestFinished(() => store.close());
    for (const id of acknowledged) expect(await store.corpus.bytesOf(id)).toBeDefined();
    await store.sqlite.writer.updateTable('object_removals').set({ due_at: '' }).execute();
    // Wakes the removal up.
    await store.corpus.remove({ kind: 'compare', field: 'document_id', op: 'eq', value: acknowledged[0] ?? '' });
    const found = await store.sqlite.reader.selectFrom('document_files').select('object').execute();
    const referred = found.map(({ object }) => object).sort();
    await vi.waitFor(async () => expect(await s3.list('kb')).toEqual(referred), PATIENT);
  }, 300_000);
});
