import { readFileSync, writeFileSync } from 'node:fs';
import type { Tool } from '../src/toolbox/tool.ts';
import { ragTools, researchTools } from '../tools/index.ts';

const README = new URL('../README.md', import.meta.url);
const BEGIN = '<!-- tools:begin (npm run docs) -->';
const END = '<!-- tools:end -->';

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

/** The README's tool table from `tools/index.ts`. With --check, says whether it is stale instead of writing it. */
const current = readFileSync(README, 'utf8');
const written = withTable(current, toolTable());
if (process.argv.includes('--check')) {
  if (written !== current) {
    console.error('README.md: the tool table is not what tools/index.ts says. Run `npm run docs`.');
    process.exitCode = 1;
  }
} else {
  writeFileSync(README, written);
}

function withTable(text: string, table: string): string {
  const begin = text.indexOf(BEGIN);
  const end = text.indexOf(END);
  if (begin === -1 || end < begin) throw new Error(`README.md has lost the lines ${BEGIN} and ${END}.`);
  return `${text.slice(0, begin + BEGIN.length)}\n${table}\n${text.slice(end)}`;
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
