import type { SevenZipModule, SevenZipModuleFactory } from '7z-wasm';
import { ServiceError } from '../../../errors.ts';
import type { Reader, ReaderInput } from '../reader.ts';
import { readArchive } from './archive.ts';
import { readCompressedFile } from './compressed-file.ts';
import type { InnerFile } from './inner-files.ts';
import { createNestingBudget, MAX_FILES, type NestingBudget } from './nesting-budget.ts';

const ARCHIVE = '/archive';
const OUTPUT = '/unpacked';
/** UTF-8 names, an empty password instead of a prompt, renaming instead of overwriting, no progress output. */
const OPTIONS = ['-sccUTF-8', '-p', '-y', '-aou', '-bd'];

/** Types that compress a single file and may lack its name. */
const STREAMS = new Set(['bz2', 'xz', 'zst']);

/**
 * Archives that 7-Zip opens: 7z, rar, cab, and bzip2, xz and zstd, which contain a tar archive or a single file. 7-Zip
 * runs as WebAssembly on an in-memory file system, so that no archive can reach the files of this machine.
 */
export const sevenZipReader: Reader = {
  async read(input) {
    const { fileName, type } = input;
    const budget = input.budget ?? createNestingBudget(fileName);
    const program = await openArchive(input, budget);
    program.run('x', ...OPTIONS, `-o${OUTPUT}`, ARCHIVE);
    const files = program.filesIn(OUTPUT);
    const [only] = files;
    if (only === undefined || !STREAMS.has(type)) return readArchive(files, { ...input, budget });
    const bytes = only.bytes(budget.bytesLeft);
    if (bytes === undefined) throw budget.exceeded();
    return readCompressedFile({ bytes, name: fileName.replace(/\.(?:bz2|xz|zst)$/i, ''), budget }, input);
  },
};

/** Throws what reading the archive would throw, as far as its list of files shows; nothing is unpacked. */
export async function requireUnpackable(input: Pick<ReaderInput, 'bytes' | 'fileName'>): Promise<void> {
  await openArchive(input, createNestingBudget(input.fileName));
}

async function openArchive(input: Pick<ReaderInput, 'bytes' | 'fileName'>, budget: NestingBudget) {
  const { fileName } = input;
  const program = await startProgram(input);
  const listing = program.run('l', '-slt', '-ba', ...OPTIONS, ARCHIVE);
  if (/^Encrypted = \+/m.test(listing)) throw needsPassword(fileName);
  const announced = sizesIn(listing);
  if (announced.length > MAX_FILES) {
    throw new ServiceError(
      'too_large',
      `${fileName} holds ${announced.length} files; at most ${MAX_FILES} are read. Split it first.`,
    );
  }
  if (announced.reduce((sum, size) => sum + size, 0) > budget.bytesLeft) throw budget.exceeded();
  return program;
}

async function startProgram({ bytes, fileName }: Pick<ReaderInput, 'bytes' | 'fileName'>) {
  // The types of the package describe an ES module, but it is a CommonJS module.
  const { default: start } = (await import('7z-wasm')) as unknown as { default: SevenZipModuleFactory };
  let lines: string[] = [];
  const print = (line: string) => lines.push(line);
  const program = await start({ print, printErr: print });
  program.FS.writeFile(ARCHIVE, bytes);
  program.FS.mkdir(OUTPUT);
  return {
    /** Runs a command and returns what it printed. Throws ServiceError. */
    run(...command: string[]): string {
      lines = [];
      let code: number | undefined;
      try {
        // The types of the package omit the exit code.
        code = (program.callMain as (given: string[]) => number)(command);
      } catch {
        // 7-Zip failed internally and prints nothing about it; `code` stays undefined.
      }
      const output = lines.join('\n');
      // Exit code 1 is a warning: files with missing or damaged parts are unpacked nevertheless.
      if (code !== 0 && code !== 1) throw unreadable(fileName, code === undefined ? undefined : output);
      return output;
    },
    filesIn: (folder: string): InnerFile[] => [...filesIn(program.FS, folder)],
  };
}

function* filesIn(files: SevenZipModule['FS'], folder: string, below = ''): Generator<InnerFile, void> {
  for (const name of files.readdir(folder).toSorted()) {
    if (name === '.' || name === '..') continue;
    const path = `${folder}/${name}`;
    const { mode, size } = files.lstat(path);
    if (files.isDir(mode)) yield* filesIn(files, path, `${below}${name}/`);
    // Links are ignored.
    else if (files.isFile(mode)) {
      yield { name: `${below}${name}`, bytes: (maxBytes) => (size > maxBytes ? undefined : files.readFile(path)) };
    }
  }
}

/** Sizes in bytes that the archive declares for its files; 0 for streams, which declare none. */
const sizesIn = (listing: string): number[] =>
  listing.split('\n\n').flatMap((entry) => {
    if (!/^Path = /m.test(entry) || /^Attributes = D/m.test(entry)) return [];
    return [Number(/^Size = (\d+)/m.exec(entry)?.[1] ?? 0)];
  });

const needsPassword = (fileName: string): ServiceError =>
  new ServiceError('invalid_request', `${fileName} is encrypted and needs a password. Save it without one first.`);

function unreadable(fileName: string, output: string | undefined): ServiceError {
  if (output === undefined) {
    return new ServiceError(
      'invalid_request',
      `${fileName} cannot be opened: it is damaged, or its list of files needs a password. Save it without one, or send the whole file again.`,
    );
  }
  if (/password|Encrypted = \+/i.test(output)) return needsPassword(fileName);
  if (/allocate|not enough memory/i.test(output)) {
    return new ServiceError(
      'too_large',
      `Unpacking ${fileName} needs more memory than there is. Pack it as zip first.`,
    );
  }
  if (/Unsupported Method/i.test(output)) {
    return new ServiceError(
      'unsupported_type',
      `${fileName} uses an unsupported compression method. Repack it as zip first.`,
    );
  }
  return new ServiceError(
    'invalid_request',
    `${fileName} is damaged or was cut off: it cannot be unpacked. Send the whole file again.`,
  );
}
