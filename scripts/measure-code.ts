import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { findCycles } from './check-imports.ts';

const USAGE = `Counts files, lines, type assertions and import cycles by component.

  npm run -s measure-code -- [--root FOLDER]

  --root FOLDER  the checkout to measure; default: this one`;

const options = { root: { type: 'string', default: '.' }, help: { type: 'boolean', default: false } } as const;

/** Type assertions (`x as T`) outside imports and comments; `as const` is not one. */
const ASSERTION = /[\w)\]}>] as (?!const\b)[\w{[(]/g;

interface ComponentSize {
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
  const components = new Map<string, ComponentSize>();
  for (const [file, source] of sources) {
    const component = componentOf(file);
    const size = components.get(component) ?? { files: 0, lines: 0, assertions: 0 };
    size.files++;
    size.lines += source.split('\n').length - 1;
    size.assertions += countAssertions(source);
    components.set(component, size);
  }
  const product = new Map([...sources].filter(([file]) => /^(src|tools)\//.test(file)));
  const cycles = findCycles(product);
  console.log('| Component | Files | Lines | Assertions |\n|---|---:|---:|---:|');
  for (const [component, size] of [...components].sort()) printRow(component, size);
  printRow('all', [...components.values()].reduce(sum, { files: 0, lines: 0, assertions: 0 }));
  console.log(`\nImport cycles in src and tools: ${cycles.length}`);
  for (const { message } of cycles) console.log(`- ${message}`);
}

/** `src/<component>` for files in a folder of `src`, `src` for files directly in it, otherwise the top folder. */
function componentOf(file: string): string {
  const [top = '', component = ''] = file.split('/');
  return top === 'src' && !component.includes('.') ? `src/${component}` : top;
}

function countAssertions(source: string): number {
  const code = source.replace(/\/\*[\s\S]*?\*\/|\/\/.*|^(import|export)\b[^;]*\bfrom\b[^;]*;/gm, '');
  return code.match(ASSERTION)?.length ?? 0;
}

function sum(left: ComponentSize, right: ComponentSize): ComponentSize {
  return {
    files: left.files + right.files,
    lines: left.lines + right.lines,
    assertions: left.assertions + right.assertions,
  };
}

function printRow(component: string, { files, lines, assertions }: ComponentSize): void {
  console.log(`| ${component} | ${files} | ${lines} | ${assertions} |`);
}
