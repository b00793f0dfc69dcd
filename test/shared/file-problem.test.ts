import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { fileProblem } from '../../src/shared/file-problem.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

describe('fileProblem', () => {
  it('gives the cause without codes and paths of the system', async () => {
    const missing: unknown = await readFile(`${await temporaryFolder()}/none`).catch((error: unknown) => error);
    expect(fileProblem(missing)).toBe('it is no longer there');
    expect(fileProblem(Object.assign(new Error('EIO: i/o error, read'), { code: 'EIO' }))).toContain('its disk');
  });

  it('keeps the words of an error it does not know', () => {
    expect(fileProblem(new Error('out of ink'))).toBe('out of ink');
  });
});
