import { execFile } from 'node:child_process';
import { readdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { programFile } from '../../../src/program-file.ts';
import { compactDatabase } from '../../../src/store/sql/compact-database.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { earlierDatabase, LARGE, valueIn } from './earlier-database.ts';

it('leaves the database unchanged when it is killed, and starts again the next time', async () => {
  const path = await earlierDatabase();
  const program = join(await temporaryFolder(), 'compact.mjs');
  const compiled = pathToFileURL(programFile('../../../src/store/sql/compact-database.ts', import.meta)).href;
  await writeFile(
    program,
    `import { watch } from 'node:fs';
     import { compactDatabase } from ${JSON.stringify(compiled)};
     watch(${JSON.stringify(dirname(path))}, (_, name) => {
       if (name.endsWith('.compacted')) process.kill(process.pid, 'SIGKILL');
     });
     await compactDatabase(${JSON.stringify(path)});`,
  );
  await expect(promisify(execFile)(process.execPath, [program])).rejects.toMatchObject({ signal: 'SIGKILL' });
  expect(await readdir(dirname(path))).toContain('citewell.db.compacted');
  expect(valueIn(path)).toBe(LARGE);
  await compactDatabase(path);
  expect(valueIn(path)).toBe(LARGE);
  expect(await readdir(dirname(path))).toEqual(['citewell.db']);
});
