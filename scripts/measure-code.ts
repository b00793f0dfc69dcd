import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { findCycles } from './check-imports.ts';

const USAGE = `Counts files, lines, type assertions and import cycles by room.

  npm run -s measure-code -- [--root FOLDER]

  --root FOLDER  the checkout to measure; default: this one`;

const options = { root: { type: 'string', default: '.' }, help: { type: 'boolean', default: false } } as const;

/** Type assertions (`x as T`) outside imports and comments; `as const` is not one. */
const ASSERTION = /[\w)\]}>] as (?!const\b)[\w{[(]/g;

interface RoomSize {
  files: number;
  lines: number;
  assertions: number;
}

const { values } = parseArgs({ options });
if (values.help) console.log(USAGE);
else print(values.root);

function print(root: string): void {
  const sources = new Map(
    globSync('{src,tools,scripts,test}/**/*.{ts,tsx,js}', { cwd: root })
      .sort()
      .map((file) => [file.replaceAll('\\', '/'), readFileSync(join(root, file), 'utf8')] as const),
  );
  const rooms = new Map<string, RoomSize>();
  for (const [file, source] of sources) {
    const room = roomOf(file);
    const size = rooms.get(room) ?? { files: 0, lines: 0, assertions: 0 };
    size.files++;
    size.lines += source.split('\n').length - 1;
    size.assertions += countAssertions(source);
    rooms.set(room, size);
  }
  const product = new Map([...sources].filter(([file]) => /^(src|tools)\//.test(file)));
  const cycles = findCycles(product);
  console.log('| Room | Files | Lines | Assertions |\n|---|---:|---:|---:|');
  for (const [room, size] of [...rooms].sort()) printRow(room, size);
  printRow('all', [...rooms.values()].reduce(sum, { files: 0, lines: 0, assertions: 0 }));
  console.log(`\nImport cycles in src and tools: ${cycles.length}`);
  for (const { message } of cycles) console.log(`- ${message}`);
}

/** `src/<room>` for files in a folder of `src`, `src` for files directly in it, otherwise the top folder. */
function roomOf(file: string): string {
  const [top = '', room = ''] = file.split('/');
  return top === 'src' && !room.includes('.') ? `src/${room}` : top;
}

function countAssertions(source: string): number {
  const code = source.replace(/\/\*[\s\S]*?\*\/|\/\/.*|^(import|export)\b[^;]*\bfrom\b[^;]*;/gm, '');
  return code.match(ASSERTION)?.length ?? 0;
}

function sum(left: RoomSize, right: RoomSize): RoomSize {
  return {
    files: left.files + right.files,
    lines: left.lines + right.lines,
    assertions: left.assertions + right.assertions,
  };
}

function printRow(room: string, { files, lines, assertions }: RoomSize): void {
  console.log(`| ${room} | ${files} | ${lines} | ${assertions} |`);
}
