import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';

const ROOT = join(import.meta.dirname, '..');

/**
 * Path of a file that a thread or child process runs; `path` is relative to the calling module and ends in `.ts`.
 * Compiled modules use the compiled file beside them. Modules running as TypeScript, as in tests, use the same file in
 * `dist`: type stripping in a thread loads its own WebAssembly compiler, which takes 2.8 times as long and, beside the
 * HTTP parser, has crashed V8. Without a build, the TypeScript file is used.
 */
export function programFile(path: `.${string}.ts`, { dirname, filename }: ImportMeta): string {
  const file = join(dirname, path);
  const asCompiled = (name: string) => name.replace(/\.ts$/, '.js');
  if (filename.endsWith('.js')) return asCompiled(file);
  const compiled = asCompiled(join(ROOT, 'dist', relative(ROOT, file)));
  return existsSync(compiled) ? compiled : file;
}
