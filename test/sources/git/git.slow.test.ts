import { execFileSync } from 'node:child_process';
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { openWeb } from '../../../src/adapters/open-web.ts';
import type { RemoteItem, SourceConnector } from '../../../src/sources/connector.ts';
import { gitKind } from '../../../src/sources/git/git-kind.ts';
import { readPack } from '../../../src/sources/git/pack.ts';
import { analyse, analyseQuery } from '../../../src/store/full-text/analyse.ts';
import { readOpenHost } from '../../../src/web/open-hosts.ts';
import { startCitewell } from '../../http/support/start-citewell.ts';
import { collectListing, openNetwork, readOptions } from '../../support/collect-listing.ts';
import { startGit } from '../../support/git-http-server.ts';
import { PATIENT } from '../../support/patience.ts';

async function repository(options: Parameters<typeof startGit>[0] = {}) {
  const server = await startGit(options);
  onTestFinished(server.close);
  const open = async (settings: object = {}, secrets: object = options) => {
    const network = openNetwork();
    onTestFinished(network.close);
    const { token } = secrets as { token?: string };
    return gitKind.open({ url: server.url, ...settings } as never, { token } as never, { network });
  };
  return { ...server, open };
}

const textOf = async (connector: SourceConnector, item: RemoteItem | undefined): Promise<string> => {
  if (item === undefined) throw new Error('not listed');
  return Buffer.from((await connector.read(item, readOptions)).bytes).toString();
};

const keys = (items: readonly RemoteItem[]) => items.map(({ key }) => key).toSorted();

// Lines that are alike make Git write differences instead of whole files.
const long = (start: string) =>
  `${start}\n${Array.from({ length: 500 }, (_, line) => `Line ${line} of it.`).join('\n')}`;

describe('a Git repository', () => {
  for (const options of [{}, { filters: false }, { format: 'sha256' }] as const) {
    it(`is listed, read, and after a change only what changed (${JSON.stringify(options)})`, async () => {
      const { commit, open, url, requests, git } = await repository(options);
      const files = { 'a.md': long('# A'), 'docs/b ü.md': long('# B'), 'docs/deep/c.md': '# C', 'd.md': '' };
      const first = await commit(files);
      const connector = await open();
      const { items, cursor, end } = await collectListing(connector);
      expect(keys(items)).toEqual(['a.md', 'd.md', 'docs/b ü.md', 'docs/deep/c.md']);
      expect(end).toMatchObject({ covers: 'all', cursor: expect.stringContaining(first) });
      const item = items.find(({ key }) => key === 'docs/b ü.md');
      expect(item).toMatchObject({ uri: `git+${url}/docs/b%20%C3%BC.md`, fileName: 'b ü.md' });
      const posts = requests.length;
      connector.prepare?.(items);
      for (const each of items) expect(await textOf(connector, each)).toBe(files[each.key as keyof typeof files]);
      // All files in one request.
      expect(requests.length - posts).toBe('filters' in options ? 0 : 1);
      if (item !== undefined) {
        await expect(connector.read(item, { ...readOptions, maxBytes: 10 })).rejects.toMatchObject({
          code: 'too_large',
        });
      }

      // Nothing but a question for the commit.
      requests.length = 0;
      const again = await collectListing(await open(), cursor);
      expect(again).toMatchObject({ items: [], end: { covers: 'changes', cursor } });
      expect(requests).toHaveLength(2);

      await commit({ 'a.md': null, 'docs/deep/c.md': null, 'docs/moved.md': '# C', 'd.md': 'changed' });
      const changed = await collectListing(await open(), cursor);
      expect(changed.end).toMatchObject({ covers: 'all' });
      expect(keys(changed.items)).toEqual(['d.md', 'docs/b ü.md', 'docs/moved.md']);
      const versions = new Map(items.map(({ key, version }) => [key, version]));
      const moved = changed.items.find(({ key }) => key === 'docs/moved.md');
      expect(moved?.version).toBe(versions.get('docs/deep/c.md'));
      expect(changed.items.filter(({ key, version }) => versions.get(key) === version)).toHaveLength(1);

      // A history that was rewritten.
      await git('reset', '--quiet', '--hard', first);
      await git('commit', '--quiet', '--amend', '--message=other');
      expect(keys((await collectListing(await open(), changed.cursor)).items)).toEqual(keys(items));
    });
  }

  it('omits links, submodules and excluded files, and reports content stored in LFS', async () => {
    const { commit, open, work, git } = await repository();
    await symlink('a.md', join(work, 'link.md'));
    const pointer = 'version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n';
    const head = await commit({
      'a.md': '# A',
      'docs/b.md': '# B',
      'docs/test/t.md': '# T',
      'docs/p.png': 'x',
      'docs/big.pdf': pointer,
    });
    await git('update-index', '--add', '--cacheinfo', `160000,${head},vendor`);
    await git('commit', '--quiet', '--message=submodule');
    const connector = await open();
    const skipped: string[] = [];
    for await (const each of connector.list(undefined, readOptions.signal)) {
      if (each.kind === 'skipped') skipped.push(`${each.key}: ${each.reason}`);
    }
    expect(skipped.toSorted()).toEqual([
      'link.md: It is a symbolic link, which is not followed.',
      'vendor: It is a submodule. Add its repository as a source of its own.',
    ]);
    const chosen = await open({ folder: 'docs', include: ['*.md', '*.pdf'], exclude: ['test/'] });
    const { items, cursor } = await collectListing(chosen);
    expect(keys(items)).toEqual(['docs/b.md', 'docs/big.pdf', 'docs/test/t.md']);
    const pdf = items.find(({ key }) => key.endsWith('.pdf'));
    await expect(textOf(chosen, pdf)).rejects.toMatchObject({ code: 'unsupported_type' });
    // Other patterns choose other files, also where the commit is the same.
    const other = await open({ folder: 'docs', exclude: ['docs/test/', '*.p*'] });
    expect(keys((await collectListing(other, cursor)).items)).toEqual(['docs/b.md']);
  });

  it('is followed at a branch or tag; a missing one is reported with the existing ones', async () => {
    const { commit, open, git, url } = await repository();
    expect(await collectListing(await open())).toMatchObject({ items: [], end: { covers: 'all' } });
    await commit({ 'a.md': '# A' });
    await git('tag', '--annotate', '--message=first', 'v1');
    await git('checkout', '--quiet', '-b', 'feature/x');
    await commit({ 'b.md': '# B' });
    const branch = await collectListing(await open({ ref: 'feature/x' }));
    expect(branch.items.map(({ uri }) => uri)).toEqual(
      [`git+${url}@feature%2Fx/b.md`, `git+${url}@feature%2Fx/a.md`].toSorted(),
    );
    expect(keys((await collectListing(await open({ ref: 'v1' }))).items)).toEqual(['a.md']);
    await expect(collectListing(await open({ ref: 'gone' }))).rejects.toMatchObject({
      message: `${url} has no branch or tag "gone". Its documents are kept. There are: feature/x, main.`,
    });
    await expect(collectListing(await open({ folder: 'docs' }))).rejects.toThrow('There is no folder docs');
    await git('symbolic-ref', 'HEAD', 'refs/heads/none');
    await expect(collectListing(await open())).rejects.toThrow('has no default branch. Name one as ref.');
  });

  it('stops listing an enormous tree immediately when it is aborted', async () => {
    const { commit, open, git, work, requests } = await repository();
    await commit({ 'a.txt': 'A' });
    const tree = (entries: readonly string[]) =>
      execFileSync('git', ['-C', work, 'mktree'], { input: `${entries.join('\n')}\n`, encoding: 'utf8' }).trim();
    let oid = await git('rev-parse', 'HEAD^{tree}');
    for (let level = 0; level < 20; level++)
      oid = tree(['a', 'b', 'c', 'd'].map((name) => `040000 tree ${oid}\t${name}`));
    await git('update-ref', 'HEAD', await git('commit-tree', oid, '-m', 'many'));
    const stop = new AbortController();
    const listing = (await open({ include: ['*.md'] })).list(undefined, stop.signal)[Symbol.asyncIterator]().next();
    listing.catch(() => undefined);
    await vi.waitFor(() => expect(requests).toHaveLength(3), PATIENT);
    setTimeout(() => stop.abort(), 100);
    await expect(listing).rejects.toThrow('aborted');
  }, 30_000);

  it('is read file by file when one file of a batch is gone', async () => {
    const { commit, open } = await repository();
    await commit({ 'a.md': '# A', 'b.md': '# B' });
    const connector = await open();
    const { items } = await collectListing(connector);
    const [first, second] = items;
    if (first === undefined || second === undefined) throw new Error('not listed');
    const gone = { ...second, version: 'f'.repeat(40) };
    connector.prepare?.([first, gone]);
    expect(await textOf(connector, first)).toMatch(/^# [AB]$/);
    await expect(textOf(connector, gone)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('reports what is refused, missing, damaged or moved', async () => {
    const { commit, open, port, state } = await repository({ token: 'right' });
    await commit({ 'a.md': '# A' });
    expect(keys((await collectListing(await open())).items)).toEqual(['a.md']);
    await expect(collectListing(await open({}, { token: 'wrong' }))).rejects.toMatchObject({ code: 'unauthenticated' });
    const missing = await open({ url: `http://127.0.0.1:${port}/none.git` });
    await expect(collectListing(missing)).rejects.toThrow('There is no repository at');
    const answers = async (answer: NonNullable<typeof state.intercept>) => {
      state.intercept = answer;
      return collectListing(await open()).catch((error: unknown) => error);
    };
    const old = await answers((_, response) => Boolean(response.end('001e# service=git-upload-pack\n0000')));
    expect(old).toMatchObject({ message: expect.stringContaining('does not speak version 2') });
    const page = await answers((_, response) => Boolean(response.end('<html>Sign in</html>')));
    expect(page).toMatchObject({ message: expect.stringContaining('not one of a Git server') });
    const elsewhere = await answers((_, response) =>
      Boolean(
        response.writeHead(301, { location: 'https://other.example/p.git/info/refs?service=git-upload-pack' }).end(),
      ),
    );
    expect(elsewhere).toMatchObject({ message: expect.stringContaining('leads to https://other.example/p.git') });
    const forbidden = await answers((_, response) => Boolean(response.writeHead(403).end()));
    expect(forbidden).toMatchObject({ code: 'unauthenticated' });
    await expect(
      readPack(Buffer.from('PACK nonsense, and more of it than a checksum'), 'sha1', readOptions.signal),
    ).rejects.toThrow('damaged');
  }, 30_000);
});

it('is followed by the service: moves and deletions, and what is skipped with its reason', async () => {
  const { commit, work, url, port, git, close } = await startGit();
  onTestFinished(close);
  const pointer = 'version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n';
  await symlink('rivers.md', join(work, 'link.md'));
  await commit({ 'rivers.md': '# Rivers\n\nThe Rhine rises in the Alps.', 'mills.md': '# Mills', 'big.pdf': pointer });
  const open = readOpenHost(`127.0.0.1:${port}`);
  const web = openWeb(
    { openHosts: open === undefined ? [] : [open], obeysRobots: true, engines: [] },
    { analyse, analyseQuery },
  );
  onTestFinished(() => web.close());
  const service = await startCitewell({ web, resumes: true });
  onTestFinished(service.close);
  const call = async (method: string, path: string, body?: unknown) => {
    const response = await fetch(`${service.url}/v3${path}`, {
      method,
      headers: { 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    // biome-ignore lint/suspicious/noExplicitAny: answers are read as a client without types would
    return ((await response.json()) as any).results;
  };
  const over = (id: string) =>
    vi.waitFor(async () => {
      const source = await call('GET', `/sources/${id}`);
      expect(source.state).not.toBe('syncing');
      return source;
    }, PATIENT);
  const { id } = await call('POST', '/sources', { kind: 'git', address: `git+${url}` });
  const first = await over(id);
  expect(first).toMatchObject({ state: 'idle', problem: null, last_sync: { counts: { ingested: 2, skipped: 2 } } });
  expect(first.last_sync.failures.map(({ name }: { name: string }) => name).toSorted()).toEqual(['big.pdf', 'link.md']);
  await commit({ 'mills.md': null, 'docs/rivers.md': '# Rivers\n\nThe Rhine rises in the Alps.', 'rivers.md': null });
  await call('POST', `/sources/${id}/sync`);
  expect((await over(id)).last_sync.counts).toMatchObject({ removed: 2, ingested: 1 });
  const documents = await call('GET', '/documents');
  expect(documents.map(({ title }: { title: string }) => title)).toEqual(['rivers.md']);
  expect(JSON.stringify(documents)).toContain(`git+${url}/docs/rivers.md`);
  // Without its branch, nothing is known of its files.
  await git('branch', '--move', 'other');
  await git('symbolic-ref', 'HEAD', 'refs/heads/main');
  await call('POST', `/sources/${id}/sync`);
  expect((await over(id)).problem).toContain('has no default branch');
  expect(await call('GET', '/documents')).toHaveLength(1);
});
