import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';

const ROOT = join(import.meta.dirname, '..');

/**
 * The file that a thread or a child process is started from; `path` is relative to the folder of the module that starts
 * it and ends in `.ts`. Compiled modules start the compiled file beside them. Modules that run as TypeScript, as in
 * tests, start the same file in `dist`: a thread that strips types loads a WebAssembly compiler of its own, which takes
 * 2.8 times as long and, beside the HTTP parser, has crashed V8. Without a build, the TypeScript file is started.
 */
export function programFile(path: `.${string}.ts`, { dirname, filename }: ImportMeta): string {
  const file = join(dirname, path);
  const asCompiled = (name: string) => name.replace(/\.ts$/, '.js');
  if (filename.endsWith('.js')) return asCompiled(file);
  const compiled = asCompiled(join(ROOT, 'dist', relative(ROOT, file)));
  return existsSync(compiled) ? compiled : file;
}
