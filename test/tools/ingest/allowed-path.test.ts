import { realpath, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { allowedFolder } from '../../../tools/ingest/allowed-path.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

it('an allowed path that is a file is refused by its name', async () => {
  const file = join(await realpath(await temporaryFolder()), 'note.md');
  await writeFile(file, '# Note');
  const message = `"${file}" is not a folder; use ingest_file to add a single file.`;
  await expect(allowedFolder(undefined, { folders: [file] })).rejects.toMatchObject({ message });
});
