import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { findFiles } from '../../../src/ingest/folders/find-files.ts';
import { isGenerated } from '../../../src/ingest/folders/is-generated.ts';
import { isNamedLikeSupported, isSupported } from '../../../src/ingest/folders/supported-files.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

it.each(['searchindex.js', 'search_index.json', 'search-index.js', 'jquery.min.js', 'site.min.css', 'app.js.map'])(
  'takes %s for generated, also in a remote source',
  (name) => {
    expect(isGenerated(name)).toBe(true);
    expect(isNamedLikeSupported(name)).toBe(false);
  },
);

it.each(['searchindex.md', 'index.js', 'admin.js', 'research_index.json', 'min.js', 'road.map'])(
  'takes %s for written by hand',
  (name) => {
    expect(isGenerated(name)).toBe(false);
  },
);

it('skips the search index below a folder of documentation, unless it is named', async () => {
  const folder = join(await temporaryFolder(), 'html');
  await mkdir(folder);
  await writeFile(join(folder, 'index.html'), '<p>The maintainer is named in the control file.');
  await writeFile(join(folder, 'searchindex.js'), 'Search.setIndex({"titles": {"maintainer": [[1, "control"]]}})');
  const find = (path: string) =>
    Array.fromAsync(findFiles(path, { isSupported, signal: new AbortController().signal }), (found) =>
      found.kind === 'skipped' ? `${found.path} ${found.reason}` : found.path,
    );
  expect((await find(folder)).toSorted()).toEqual([
    join(folder, 'index.html'),
    `${join(folder, 'searchindex.js')} generated`,
  ]);
  expect(await find(join(folder, 'searchindex.js'))).toEqual([join(folder, 'searchindex.js')]);
});
