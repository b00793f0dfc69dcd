import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { allowedRooms, exceptions, vendorRooms } from './import-rules.ts';

/** An import that goes against the direction of dependencies, as a sentence. */
export interface Violation {
  readonly file: string;
  readonly line: number;
  readonly message: string;
}

const IMPORT =
  /(?:^|[;\n])\s*(?:import|export)\s(?:[^'"`;]*?\sfrom\s*)?['"]([^'"]+)['"]|\bimport\s*\(\s*['"]([^'"]+)['"]\s*\)/g;

/** Everything in one file that goes against the tables. `file` is relative to the project, with forward slashes. */
export function checkFile(file: string, source: string): Violation[] {
  const code = withoutComments(source);
  const violations: Violation[] = [];
  const add = (index: number, message: string) =>
    violations.push({ file, line: code.slice(0, index).split('\n').length, message });

  const room = roomOf(file);
  if (room === undefined) {
    add(0, 'belongs to no room; give its room a line in scripts/import-rules.ts');
    return violations;
  }
  for (const match of code.matchAll(IMPORT)) {
    const specifier = match[1] ?? match[2] ?? '';
    const index = match.index + match[0].indexOf(specifier);
    const message = specifier.startsWith('.') ? checkOwn(file, room, specifier) : checkVendor(file, room, specifier);
    if (message !== undefined) add(index, message);
  }
  if (file !== 'src/config.ts') {
    for (const match of code.matchAll(/\bprocess\.env\b/g)) {
      add(match.index, 'reads process.env; only src/config.ts may. Add a setting there and pass it in');
    }
  }
  return violations;
}

function checkOwn(file: string, room: string, specifier: string): string | undefined {
  const target = normalize(join(dirname(file), specifier))
    .split(sep)
    .join('/');
  const targetRoom = roomOf(target);
  if (targetRoom === undefined) return target.startsWith('src/') ? `imports ${target}, which is in no room` : undefined;
  if (targetRoom === room || isAllowed(file, room, targetRoom)) return undefined;
  const allowed = allowedRooms[room] ?? [];
  return `"${room}" may not import "${targetRoom}" (${specifier}); it may import: ${allowed.join(', ') || 'nothing'}`;
}

const isAllowed = (file: string, room: string, wanted: string): boolean =>
  allowedRooms[room]?.includes(wanted) === true || exceptions[file]?.includes(wanted) === true;

function checkVendor(file: string, room: string, specifier: string): string | undefined {
  const name = specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
  const rooms = vendorRooms[name];
  if (rooms === undefined) {
    if (specifier.startsWith('node:')) return undefined;
    return `imports the package "${name}", which has no room yet; give it one in scripts/import-rules.ts`;
  }
  const isAtHome = rooms.some((home) => home === '*' || room === home || room.startsWith(`${home}/`));
  if (isAtHome || exceptions[file]?.includes(name) === true) return undefined;
  return `the package "${name}" belongs to ${rooms.join(', ')}; reach it through a port`;
}

/** `src/store/sql/x.ts` → `store/sql` when that has a line of its own, else `store`. */
function roomOf(file: string): string | undefined {
  if (file.startsWith('tools/')) return 'tools';
  if (!file.startsWith('src/')) return undefined;
  const parts = file
    .slice('src/'.length)
    .replace(/\.[jt]s$/, '')
    .split('/');
  const [top = '', below] = parts;
  const nested = parts.length > 2 ? `${top}/${below}` : undefined;
  return [nested, top].find((room): room is string => room !== undefined && room in allowedRooms);
}

// Blanked and not cut out, so that line numbers stay right.
function withoutComments(source: string): string {
  return source.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, (comment) => comment.replace(/[^\n]/g, ' '));
}

if (import.meta.main) {
  const root = fileURLToPath(new URL('..', import.meta.url));
  const files = globSync(['src/**/*.{ts,js}', 'tools/**/*.ts'], { cwd: root });
  const violations = files.flatMap((file) =>
    checkFile(relative(root, join(root, file)).split(sep).join('/'), readFileSync(join(root, file), 'utf8')),
  );
  for (const { file, line, message } of violations) console.error(`${file}:${line}: ${message}.`);
  if (violations.length > 0) process.exitCode = 1;
  else console.log(`${files.length} files import downwards only.`);
}
