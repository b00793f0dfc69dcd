import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { programFile } from '../src/program-file.ts';

const ROOT = join(import.meta.dirname, '..');
/** The `import.meta` of a module in that file. */
const moduleIn = (path: string): ImportMeta =>
  Object.assign(Object.create(import.meta), { filename: join(ROOT, path), dirname: join(ROOT, path, '..') });

describe('the file that a thread or a child process is started from', () => {
  it('is the compiled one where the caller runs as TypeScript', () => {
    const file = programFile('./graph-worker.ts', moduleIn('src/graph/graph-thread.ts'));
    expect(file).toBe(join(ROOT, 'dist/src/graph/graph-worker.js'));
    expect(existsSync(file)).toBe(true);
  });

  it('is the one beside the caller where that is compiled', () => {
    expect(programFile('./graph-worker.ts', moduleIn('dist/src/graph/graph-thread.js'))).toBe(
      join(ROOT, 'dist/src/graph/graph-worker.js'),
    );
  });

  it('is the TypeScript where nothing is compiled', () => {
    const path = programFile('./not-compiled.ts', moduleIn('src/graph/graph-thread.ts'));
    expect(path).toBe(join(ROOT, 'src/graph/not-compiled.ts'));
  });

  it('is asked for by every module that starts one of the project', () => {
    const starting = globSync('src/**/*.ts', { cwd: ROOT }).filter((file) =>
      // Inline threads, and threads that run the file that starts them, need no file name.
      /\bnew Worker\((?!`|new URL\(import\.meta\.url\))|\bfork\(|\bspawn\(process\.execPath/.test(
        readFileSync(join(ROOT, file), 'utf8'),
      ),
    );
    expect(starting.length).toBeGreaterThan(4);
    const others = starting.filter((file) => !readFileSync(join(ROOT, file), 'utf8').includes('programFile('));
    expect(others).toEqual([]);
  });
});
