import { readFileSync, writeFileSync } from 'node:fs';
import type { Tool } from '../src/toolbox/tool.ts';
import { ragTools, researchTools } from '../tools/index.ts';
import { packageFile } from './packaging/manifests.ts';

const NEEDS = {
  web_search: 'a search service',
  web_pages: '',
  sandbox: 'the sandbox',
  reasoner: 'a language model',
  answerer: '',
  checker: '',
  ingestion: '',
  folders: 'an allowed folder',
  research: 'a language model',
  facts: '',
} as const satisfies Record<Tool['needs'][number], string>;

const ROOT = new URL('..', import.meta.url);

interface Generated {
  readonly file: string;
  /** Name of the generated part, as in the marker lines around it. */
  readonly part: string;
  readonly source: string;
  readonly text: string;
}

const parts: readonly Generated[] = [
  { file: 'README.md', part: 'tools', source: 'tools/index.ts', text: toolTable() },
  {
    file: 'docs/use-as-a-library.md',
    part: 'example',
    source: 'test/example/use-as-a-library.ts',
    text: exampleCode('test/example/use-as-a-library.ts'),
  },
];

/** Generates parts of the documents. With --check, reports stale parts instead of writing them. */
for (const { file, part, source, text } of parts) {
  const path = new URL(file, ROOT);
  const current = readFileSync(path, 'utf8');
  const written = withPart(current, part, text);
  if (written === current) continue;
  if (process.argv.includes('--check')) {
    console.error(`${file}: the part "${part}" is not what ${source} says. Run \`npm run docs\`.`);
    process.exitCode = 1;
  } else {
    writeFileSync(path, written);
  }
}

function withPart(whole: string, part: string, text: string): string {
  const [first, last] = [`<!-- ${part}:begin (npm run docs) -->`, `<!-- ${part}:end -->`];
  const begin = whole.indexOf(first);
  const end = whole.indexOf(last);
  if (begin === -1 || end < begin) throw new Error(`A document lacks the lines ${first} and ${last}.`);
  return `${whole.slice(0, begin + first.length)}\n${text}\n${whole.slice(end)}`;
}

/** An example with the import that a program outside this repository uses. */
function exampleCode(file: string): string {
  const code = readFileSync(new URL(file, ROOT), 'utf8').trim();
  return `\`\`\`ts\n${code.replace("'../../src/index.ts'", `'${packageFile.name}'`)}\n\`\`\``;
}

function toolTable(): string {
  return [
    '| mode | tool | what it gives | needs |',
    '|---|---|---|---|',
    ...ragTools.map((tool) => row('rag', tool)),
    ...researchTools.map((tool) => row('research', tool)),
  ].join('\n');
}

function row(mode: string, { name, description, needs }: Tool): string {
  const [first = description] = description.split(/(?<=\.)\s/);
  const wanted = needs.map((need) => NEEDS[need]).filter((need) => need !== '');
  return `| ${mode} | \`${name}\` | ${first.replaceAll('|', '\\|')} | ${wanted.join(', ')} |`;
}
