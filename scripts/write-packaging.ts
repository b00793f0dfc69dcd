import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { variableNames } from '../src/config/variables.ts';
import { guideSections } from './packaging/guide.ts';
import { bundleManifest, manifests, packageFile } from './packaging/manifests.ts';
import { everyTool, mcpFlags, minOffer } from './packaging/offers.ts';

// Generates the files that describe how to start the server; with --check, only compares them. The check also verifies
// flags, tools and variables in the prose of the guide.

const GUIDE = 'docs/mcp.md';
/** Request fields that the guide mentions. */
const MEMBERS: ReadonlySet<string> = new Set(['rag_tools', 'research_tools', 'chunk_id', 'document_id']);
const problems: string[] = [];
const isCheck = process.argv.includes('--check');

const pathOf = (path: string) => new URL(`../${path}`, import.meta.url);
const read = (path: string): string => {
  try {
    return readFileSync(pathOf(path), 'utf8');
  } catch {
    return '';
  }
};

const guide = Object.entries(guideSections).reduce(
  (text, [name, section]) => withSection(text, name, section),
  read(GUIDE),
);
for (const [path, content] of Object.entries({ ...manifests, [GUIDE]: guide })) {
  if (read(path) === content) continue;
  if (isCheck) problems.push(`${path} is not what the code says. Run \`npm run docs\`.`);
  else {
    mkdirSync(new URL('.', pathOf(path)), { recursive: true });
    writeFileSync(pathOf(path), content);
  }
}
if (isCheck) {
  checkProse();
  checkPackage();
}
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;

function withSection(text: string, name: string, section: string): string {
  const begin = `<!-- ${name}:begin (npm run docs) -->`;
  const end = `<!-- ${name}:end -->`;
  const from = text.indexOf(begin);
  const to = text.indexOf(end);
  if (from === -1 || to < from) throw new Error(`${GUIDE} lacks the lines ${begin} and ${end}.`);
  return `${text.slice(0, from + begin.length)}\n\n${section}\n\n${text.slice(to)}`;
}

/** Checks that flags, tools and variables in the guide exist. */
function checkProse(): void {
  const prose = read(GUIDE).replaceAll(/<!-- (\w+):begin[\s\S]*?<!-- \1:end -->/g, '');
  const code = [...prose.matchAll(/`([^`\n]+)`/g)].map(([, inner = '']) => inner);
  const flags = new Set(mcpFlags().flatMap(({ flags: written }) => written.match(/--[a-z-]+/g) ?? []));
  // Every command has this option.
  flags.add('--settings');
  const tools = new Set(everyTool().map(({ tool }) => tool.name));
  const sets = new Set(everyTool().flatMap(({ toolsets }) => toolsets));
  for (const word of code) {
    const [flag] = /^--[a-z-]+/.exec(word) ?? [];
    if (flag !== undefined && !flags.has(flag))
      problems.push(`${GUIDE} names the flag ${flag}, which citewell mcp has not.`);
    if (/^CITEWELL_[A-Z_]+$/.test(word) && !variableNames.includes(word)) {
      problems.push(`${GUIDE} names the variable ${word}, which there is not.`);
    }
    if (/^[a-z]+(?:_[a-z]+)+$/.test(word) && ![tools, sets, MEMBERS].some((known) => known.has(word))) {
      problems.push(`${GUIDE} names the tool ${word}, which there is not.`);
    }
  }
}

/** Checks for what a registry or host would reject. */
function checkPackage(): void {
  const { name, mcpName, version, description } = packageFile;
  const server: { readonly name: string; readonly description: string } = JSON.parse(read('server.json') || '{}');
  if (server.name !== mcpName) problems.push('server.json: the name is not the mcpName of package.json.');
  if (!/^[A-Za-z0-9.-]+\/[A-Za-z0-9._-]+$/.test(mcpName))
    problems.push('package.json: mcpName is no reverse-DNS name.');
  if (!((server.description?.length ?? 0) <= 100))
    problems.push('server.json: the description is over 100 characters.');
  if (!/^[a-z0-9.-]{1,64}$/.test(name)) problems.push('plugin.json: the name is none that hosts take.');
  if (!/^\d+\.\d+\.\d+/.test(version) || description.length === 0)
    problems.push('package.json: version or description.');
  if (minOffer().length > 10) problems.push('More than ten tools are offered without being asked for.');
  const entry = JSON.stringify(bundleManifest(process.platform));
  for (const [flag] of entry.matchAll(/(?<=")--[a-z-]+(?=")/g)) {
    if (!mcpFlags().some(({ flags }) => flags.split(/[ ,]/).includes(flag)))
      problems.push(`The bundle uses ${flag}, which there is not.`);
  }
  const files: readonly string[] = JSON.parse(read('package.json')).files;
  for (const path of [...Object.keys(manifests), GUIDE]) {
    if (!files.some((file) => path === file || path.startsWith(`${file}/`))) {
      problems.push(`package.json: files leaves out ${path}.`);
    }
  }
}
