import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { textOf } from './support/citewell-mcp.ts';
import { startInProcess } from './support/in-process.ts';

async function open() {
  const mcp = await startInProcess({ options: { write: true } });
  const client = await mcp.connect();
  const call = (name: string, args: Record<string, unknown> = {}, onprogress?: (step: { progress: number }) => void) =>
    client.callTool({ name, arguments: args }, onprogress && { onprogress });
  return { folder: mcp.folder, call };
}

it.each(['list_files', 'sync_folder', 'ingest_file'])('%s names the allowed folders and what to do', async (name) => {
  const { folder, call } = await open();
  for (const path of ['/etc', '../..', 'nothing']) {
    const text = textOf(await call(name, { path }));
    expect(text).toContain(`There is no file or folder "${path}" below the allowed folders: ${folder}.`);
    expect(text).toMatch(/^Error \[invalid_argument\].*Give a path below one of them.*--folder or --allow-dir/);
    expect(text).not.toContain('identifier');
  }
});

it('folders that are synchronised twice at once have no failures', async () => {
  const { folder, call } = await open();
  await mkdir(join(folder, 'notes'));
  const names = Array.from({ length: 12 }, (_, number) => `note-${number}.md`);
  for (const name of names) await writeFile(join(folder, 'notes', name), `# ${name}\n\nThe pier of ${name} is long.`);
  const results = await Promise.all([call('sync_folder'), call('sync_folder', { path: 'notes' })]);
  for (const { structuredContent } of results) {
    const { status, counts, failures } = structuredContent as Record<string, Record<string, number>>;
    expect({ status, failures }).toEqual({ status: 'ended', failures: [] });
    expect(Object.values(counts ?? {}).reduce((sum, count) => sum + count, 0)).toBe(names.length);
  }
  expect(textOf(await call('search_file_knowledge', { query: 'pier' }))).toContain('pier of note-');
});

it('a synchronisation that fails unexpectedly reports nothing of the cause, which is logged', async () => {
  const logged: object[] = [];
  const mcp = await startInProcess({
    options: { write: true },
    change: ({ log }) => ({
      status: () => Promise.reject(new Error('connect ECONNREFUSED 10.0.0.7')),
      log: { ...log, error: (fields) => logged.push(fields) },
    }),
  });
  const client = await mcp.connect();
  const synced = await client.callTool({ name: 'sync_folder', arguments: {} });
  expect(synced.structuredContent).toMatchObject({
    status: 'failed',
    failures: [{ reason: 'Something went wrong inside the service.' }],
  });
  expect(JSON.stringify(synced)).not.toContain('10.0.0.7');
  expect(logged).toEqual([{ err: new Error('connect ECONNREFUSED 10.0.0.7'), path: mcp.folder }]);
  const ingested = await client.callTool({ name: 'ingest_file', arguments: { path: '.' } });
  expect(ingested.structuredContent).toMatchObject({
    outcome: 'failed',
    failures: [{ path: mcp.folder, reason: 'Something went wrong inside the service.' }],
  });
});

it('files above the limit that the operator has set are refused by name', async () => {
  const mcp = await startInProcess({ options: { write: true }, change: () => ({ maxFileBytes: 1_000 }) });
  const client = await mcp.connect();
  await writeFile(join(mcp.folder, 'large.md'), 'The pier is long. '.repeat(100));
  await writeFile(join(mcp.folder, 'small.md'), 'The pier is short.');
  const words = 'It has 1.8 KB; at most 1.0 KB are read (CITEWELL_MAX_FILE_MB).';
  const synced = await client.callTool({ name: 'sync_folder', arguments: {} });
  expect(synced.structuredContent).toMatchObject({
    counts: { ingested: 1, failed: 1 },
    failures: [{ path: join(mcp.folder, 'large.md'), reason: words }],
  });
  expect(textOf(await client.callTool({ name: 'ingest_file', arguments: { path: 'large.md' } }))).toContain(words);
  const ingested = await client.callTool({ name: 'ingest_file', arguments: { path: '.' } });
  expect(ingested.structuredContent).toMatchObject({
    outcome: 'incomplete',
    counts: { unchanged: 1, failed: 1 },
    failures: [{ path: join(mcp.folder, 'large.md'), reason: words }],
  });
});

it('documents of deleted files are removed even if the folder is being ingested, which keeps them', async () => {
  const begun = Promise.withResolvers<void>();
  const proceed = Promise.withResolvers<void>();
  let isHeld = false;
  const mcp = await startInProcess({
    options: { write: true },
    change: (services) => ({
      async status() {
        if (isHeld) {
          begun.resolve();
          await proceed.promise;
        }
        return services.status();
      },
    }),
  });
  const client = await mcp.connect();
  await writeFile(join(mcp.folder, 'gone.md'), 'The pier is long.');
  await writeFile(join(mcp.folder, 'left.md'), 'The quay is short.');
  expect(await client.callTool({ name: 'ingest_file', arguments: { path: '.' } })).toMatchObject({
    structuredContent: { outcome: 'ingested', counts: { ingested: 2 }, failures: [] },
  });
  await rm(join(mcp.folder, 'gone.md'));

  isHeld = true;
  const ingestion = client.callTool({ name: 'ingest_file', arguments: { path: '.' } });
  await begun.promise;
  isHeld = false;
  // Progress is reported when the call has joined the running synchronisation, or waits for it.
  const synced = client.callTool({ name: 'sync_folder', arguments: {} }, { onprogress: () => proceed.resolve() });
  expect((await ingestion).structuredContent).toMatchObject({ outcome: 'ingested', counts: { unchanged: 1 } });
  expect((await synced).structuredContent).toMatchObject({ status: 'ended', counts: { unchanged: 1, removed: 1 } });
});

it('many skipped files do not displace the failures among those that are named', async () => {
  const mcp = await startInProcess({ options: { write: true }, change: () => ({ maxFileBytes: 1_000 }) });
  const client = await mcp.connect();
  const picture = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
  const large = Array.from({ length: 5 }, (_, number) => join(mcp.folder, `m-${number}.md`));
  for (const path of large) await writeFile(path, 'The pier is long. '.repeat(100));
  for (let number = 0; number < 60; number++) {
    await writeFile(join(mcp.folder, `${number % 2 === 0 ? 'a' : 'z'}-${number}.png`), picture);
  }
  const { structuredContent } = await client.callTool({ name: 'sync_folder', arguments: {} });
  const { counts, failures } = structuredContent as { counts: object; failures: { path: string; reason: string }[] };
  expect(counts).toEqual({ skipped: 60, failed: 5 });
  expect(failures).toHaveLength(20);
  expect(
    failures
      .slice(0, 5)
      .map(({ path }) => path)
      .toSorted(),
  ).toEqual(large);
});

it('a skipped file is not called a failed one', async () => {
  const { folder, call } = await open();
  await writeFile(join(folder, 'photo.png'), Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'));
  await writeFile(join(folder, 'torn.docx'), Buffer.concat([Buffer.from('PK\u0003\u0004'), Buffer.alloc(200)]));
  for (const [name, args] of [['sync_folder', {}] as const, ['ingest_file', { path: '.' }] as const]) {
    const result = await call(name, args);
    const lines = textOf(result).split('\n').slice(1);
    expect(lines).toEqual([
      expect.stringMatching(/^Failed: .*torn\.docx: .*damaged/),
      expect.stringMatching(/^Skipped: .*photo\.png: /),
    ]);
    expect(result.structuredContent).toMatchObject({ failures: [{ outcome: 'failed' }, { outcome: 'skipped' }] });
  }
});

it.runIf(process.platform === 'linux')('a file whose name is not UTF-8 is reported', async () => {
  const { folder, call } = await open();
  await writeFile(Buffer.concat([Buffer.from(`${folder}/`), Buffer.of(0xfc, 0x2e, 0x6d, 0x64)]), 'The pier is long.');
  expect(textOf(await call('sync_folder'))).toMatch(/1 failed\.\nFailed: .*its name is not valid UTF-8; rename it/);
});
