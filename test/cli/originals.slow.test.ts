import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { PATIENT } from '../support/patience.ts';
import { runCitewell, startCitewell } from '../support/run-citewell.ts';
import { startAnswering, startS3Server } from '../support/s3-server.ts';
import { openTestStore } from '../support/store.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

async function storage() {
  const s3 = await startS3Server(await temporaryFolder());
  onTestFinished(() => s3.stop());
  const env = {
    CITEWELL_ORIGINALS_ENDPOINT: s3.endpoint(),
    AWS_ACCESS_KEY_ID: 'S3RVER',
    AWS_SECRET_ACCESS_KEY: 'S3RVER',
  };
  return { s3, access: env, env: { ...env, CITEWELL_ORIGINALS: 's3://originals/kb' } };
}

it('moves uploaded files to S3 and back, serves, backs up and restores them, and reports an unavailable storage', async () => {
  const { s3, access, env } = await storage();
  const cwd = await temporaryFolder();
  await mkdir(join(cwd, 'papers'));
  for (let number = 0; number < 30; number++) {
    await writeFile(join(cwd, 'papers', `${number}.md`), `# Note ${number}\n\nThe ferry ${number} leaves at noon.\n`);
  }
  expect(await runCitewell(['ingest', 'papers'], { cwd })).toMatchObject({ code: 0 });
  const early = await runCitewell(['status'], { cwd, env });
  expect(early.code).not.toBe(0);
  expect(early.stderr).toMatch(
    /are in the database, and CITEWELL_ORIGINALS names s3:.*citewell migrate originals --to s3:/,
  );

  const move = ['migrate', 'originals', '--to', 's3://originals/kb'];
  const killed = await runCitewell([...move, '--json'], {
    cwd,
    env: access,
    onStart: (child) => child.stdout?.on('data', (text) => /"began"/.test(text) && child.kill('SIGKILL')),
  });
  expect(killed.code).toBeNull();
  expect((await runCitewell(['status'], { cwd, env })).stderr).toMatch(/was interrupted/);
  const moved = await runCitewell(move, { cwd, env: access });
  expect(moved, moved.stderr).toMatchObject({ code: 0 });
  expect(moved.stdout).toMatch(/Moved \d+ files, .* to s3:\/\/originals\/kb/);
  expect((await s3.list('kb')).length).toBeGreaterThanOrEqual(30);

  const server = await startCitewell({ cwd, env: { ...env, CITEWELL_MAX_FILE_MB: '100' } });
  onTestFinished(server.kill);
  const get = (path: string, headers = {}) => fetch(`${server.url}/v3${path}`, { headers });
  const comment = randomBytes(18_000_000).toString('base64').slice(0, 20_000_000);
  const large = `<html><body><p>The ferry leaves.</p><!-- ${comment} --></body></html>`;
  const form = new FormData();
  form.set('file', new Blob([large], { type: 'text/html' }), 'large.html');
  form.set('run_with_orchestration', 'true');
  const uploaded = await fetch(`${server.url}/v3/documents`, { method: 'POST', body: form });
  const uploadedText = await uploaded.text();
  expect(uploaded.ok, uploadedText).toBe(true);
  const { document_id: id } = JSON.parse(uploadedText).results;
  const part = await get(`/documents/${id}/download`, { range: `bytes=${large.length - 10}-` });
  expect(part.status).toBe(206);
  expect(part.headers.get('content-range')).toBe(`bytes ${large.length - 10}-${large.length - 1}/${large.length}`);
  expect(await part.text()).toBe(large.slice(-10));
  expect((await (await get(`/documents/${id}/download`)).text()) === large).toBe(true);
  const head = await fetch(`${server.url}/v3/documents/${id}/download`, { method: 'HEAD' });
  expect(head.headers.get('content-length')).toBe(String(large.length));

  const count = (await s3.list('kb')).length;
  expect((await fetch(`${server.url}/v3/documents/${id}`, { method: 'DELETE' })).ok).toBe(true);
  await vi.waitFor(async () => expect(await s3.list('kb')).toHaveLength(count - 1), PATIENT);
  const [note] = ((await (await get('/documents')).json()) as { results: { id: string }[] }).results;
  const status = await runCitewell(['status'], { cwd, env });
  expect(status.stdout).toMatch(/files +s3:\/\/originals\/kb at 127.0.0.1:\d+, ready/);
  expect(await runCitewell(['backup', 'all.tar.zst'], { cwd, env })).toMatchObject({ code: 0 });

  await s3.stop();
  const gone = await get(`/documents/${note?.id}/download`);
  expect(gone.status).toBe(503);
  expect(await gone.text()).toMatch(/storage of the uploaded files does not answer.*Search and answers work on/);
  const found = await fetch(`${server.url}/v3/retrieval/search`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query: 'when does the ferry leave?' }),
  });
  const { results } = (await found.json()) as { results: { chunk_search_results: unknown[] } };
  expect(results.chunk_search_results.length).toBeGreaterThan(0);
  await vi.waitFor(
    async () => expect((await runCitewell(['status'], { cwd, env })).stdout).toMatch(/unavailable/),
    PATIENT,
  );
  await s3.start();
  expect((await get(`/documents/${note?.id}/download`)).status).toBe(200);
  expect(await server.end('SIGTERM')).toMatchObject({ code: 0 });
  const doctor = await runCitewell(['doctor'], { cwd, env });
  expect(doctor.stdout).toMatch(
    /Originals.*s3:\/\/originals\/kb at .* answered in .* an object was stored, read and removed/,
  );
  expect(doctor.stdout).toMatch(/Files.*all 30 are in s3:\/\/originals\/kb/);
  const [object = ''] = await s3.list('kb');
  const objects = s3.open('kb');
  const bytes = Buffer.concat(await Array.fromAsync((await objects.get(object)) ?? []));
  await objects.remove(object);
  const lacking = await runCitewell(['doctor'], { cwd, env });
  expect(lacking.stdout).toMatch(/WRONG.*Files.*: 1 of 30 files is missing in s3:.*: ".+" \([0-9a-f-]{36}\)\n/);
  await objects.put(object, bytes);

  // A backup is whole without the storage, and is restored to where the target's settings say.
  for (const [folder, more] of [
    ['plain', {}],
    ['again', { ...env, CITEWELL_ORIGINALS: 's3://originals/again' }],
  ] as const) {
    const other = join(await temporaryFolder(), folder);
    await mkdir(other);
    await copyFile(join(cwd, 'all.tar.zst'), join(other, 'all.tar.zst'));
    const restored = await runCitewell(['restore', 'all.tar.zst'], { cwd: other, env: more });
    expect(restored, restored.stderr).toMatchObject({ code: 0 });
    const running = await startCitewell({ cwd: other, env: more });
    onTestFinished(running.kill);
    const file = await fetch(`${running.url}/v3/documents/${note?.id}/download`);
    expect(await file.text()).toMatch(/^# Note \d+\n\nThe ferry/);
    await running.end('SIGTERM');
  }
  expect(await s3.list('again')).toHaveLength(30);

  const back = await runCitewell(['migrate', 'originals', '--to', 'database', '--json'], { cwd, env: access });
  expect(back, back.stderr).toMatchObject({ code: 0 });
  expect(back.stdout).toMatch(/"type":"done","files":30/);
  expect((await runCitewell(['status'], { cwd })).stderr).not.toMatch(/CITEWELL_ORIGINALS/);
}, 900_000);

it('loses nothing that was acknowledged when it is killed, and keeps no object without a record', async () => {
  const { s3 } = await storage();
  const store = await openTestStore({ objects: s3.open('kb'), objectGraceMs: 0 });
  await store.close();
  const program = new URL('../support/begin-endlessly.ts', import.meta.url).pathname;
  for (let round = 0; round < 3; round++) {
    const acknowledged = await new Promise<string[]>((resolve, reject) => {
      const settings = JSON.stringify(s3.settings('kb'));
      const child = execFile(
        process.execPath,
        [program, store.path, settings, String(round)],
        { timeout: PATIENT.timeout },
        () => {},
      );
      let output = '';
      child.stdout?.on('data', (text: string) => {
        output += text;
        if (output.split('\n').length > 20 * (round + 1)) child.kill('SIGKILL');
      });
      child.once('error', reject);
      child.once('close', () => resolve(output.split('\n').slice(0, -1)));
    });
    expect(acknowledged.length).toBeGreaterThan(10);
    const next = await openTestStore({ objects: s3.open('kb'), objectGraceMs: 0 }, store.path);
    for (const id of acknowledged) expect(await next.corpus.bytesOf(id)).toBeDefined();
    const { rows } = await next.sqlite.reader
      .selectFrom('document_files')
      .select('object')
      .execute()
      .then((found) => ({ rows: found.map(({ object }) => object ?? '').sort() }));
    await next.sqlite.writer.updateTable('object_removals').set({ due_at: '' }).execute();
    const last = await next.reopen();
    await vi.waitFor(async () => expect(await s3.list('kb')).toEqual(rows), PATIENT);
    await last.close();
  }
});

it('refuses to start with an invalid storage setting, with a clear message', async () => {
  const cwd = await temporaryFolder();
  const { env, s3 } = await storage();
  const refusal = async (change: Record<string, string>) => {
    const { code, stderr } = await runCitewell(['status'], { cwd, env: { ...env, ...change } });
    expect(code).not.toBe(0);
    return stderr;
  };
  expect(await refusal({ CITEWELL_ORIGINALS: 's3:/kb' })).toMatch(/CITEWELL_ORIGINALS: expected database, or a bucket/);
  expect(await refusal({ AWS_ACCESS_KEY_ID: '' })).toMatch(/AWS_ACCESS_KEY_ID: is missing/);
  expect(await refusal({ CITEWELL_ORIGINALS: 's3://absent/kb' })).toMatch(/There is no bucket "absent" at 127/);
  const answers = [
    [
      403,
      '<Error><Code>AccessDenied</Code></Error>',
      /refuses access \(AccessDenied, status 403\). Check AWS_ACCESS_KEY_ID/,
    ],
    [
      400,
      '<Error><Code>AuthorizationHeaderMalformed</Code><Region>eu-west-1</Region></Error>',
      /is in the region eu-west-1/,
    ],
    [503, '<Error><Code>SlowDown</Code></Error>', /answers with SlowDown, status 503/],
  ] as const;
  for (const [status, body, words] of answers) {
    const server = await startAnswering(status, body);
    onTestFinished(server.close);
    expect(await refusal({ CITEWELL_ORIGINALS_ENDPOINT: server.endpoint })).toMatch(words);
    expect(server.count()).toBe(status === 503 ? 4 : 1);
  }
  await s3.stop();
  expect(await refusal({})).toMatch(/does not answer \(.*ECONNREFUSED/);
  expect(await readFile(join(cwd, '.citewell', 'citewell.db')).then((file) => file.length)).toBeGreaterThan(0);
});
