import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { allowedImports, exceptions, type LoadingRule, loadingRules, vendorComponents } from './import-rules.ts';

/** A violation of the import rules, described in a sentence. */
export interface Violation {
  readonly file: string;
  readonly line: number;
  readonly message: string;
}

const IMPORT =
  /(?:^|[;\n])\s*(?:import|export)\s(?:(?<type>type\s)?[^'"`;]*?\sfrom\s*)?['"](?<named>[^'"]+)['"]|\bimport\s*\(\s*['"](?<loaded>[^'"]+)['"]\s*\)/g;

/** Finds all violations of the tables in one file. `file` is relative to the project, with forward slashes. */
export function checkFile(file: string, source: string): Violation[] {
  const code = withoutComments(source);
  const violations: Violation[] = [];
  const add = (index: number, message: string) =>
    violations.push({ file, line: code.slice(0, index).split('\n').length, message });

  const component = componentOf(file);
  if (component === undefined) {
    add(0, 'belongs to no component; give its component a line in scripts/import-rules.ts');
    return violations;
  }
  for (const { specifier, index } of importsOf(code)) {
    const message = specifier.startsWith('.')
      ? checkOwn(file, component, specifier)
      : checkVendor(file, component, specifier);
    if (message !== undefined) add(index, message);
  }
  if (file !== 'src/config.ts') {
    for (const match of code.matchAll(/\bprocess\.env\b/g)) {
      add(match.index, 'reads process.env; only src/config.ts may. Add a setting there and pass it in');
    }
  }
  return violations;
}

/**
 * Reports each import cycle (strongly connected group of files) as one violation, at one of its files. Dynamic imports
 * count, because files in such a cycle cannot be understood, tested or moved alone. Type imports do not count: they are
 * erased, and a component may well share its props with the parts that it loads.
 */
export function findCycles(sources: ReadonlyMap<string, string>): Violation[] {
  const imported = new Map(
    [...sources].map(([file, source]) => {
      const edges = [...importsOf(withoutComments(source))].filter(({ isType }) => !isType);
      return [file, edges.map(({ specifier }) => resolveOwn(file, specifier)).filter((to) => sources.has(to))] as const;
    }),
  );
  const reachable = new Map([...imported.keys()].map((file) => [file, reachableFrom(file, imported)]));
  const grouped = new Set<string>();
  const violations: Violation[] = [];
  for (const [file, reached] of reachable) {
    if (grouped.has(file) || !reached.has(file)) continue;
    const group = [...reached].filter((other) => reachable.get(other)?.has(file) === true).sort();
    for (const each of group) grouped.add(each);
    violations.push({ file, line: 1, message: `is in an import cycle of ${group.length} files: ${group.join(', ')}` });
  }
  return violations;
}

function reachableFrom(start: string, imported: ReadonlyMap<string, readonly string[]>): Set<string> {
  const reached = new Set<string>();
  const waiting = [...(imported.get(start) ?? [])];
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (reached.has(file)) continue;
    reached.add(file);
    waiting.push(...(imported.get(file) ?? []));
  }
  return reached;
}

interface FoundImport {
  readonly specifier: string;
  readonly index: number;
  readonly isType: boolean;
  /** Whether it is a dynamic import. */
  readonly isLater: boolean;
}

function* importsOf(code: string): Generator<FoundImport> {
  for (const match of code.matchAll(IMPORT)) {
    const { type, named, loaded } = match.groups ?? {};
    const specifier = named ?? loaded ?? '';
    yield {
      specifier,
      index: match.index + match[0].indexOf(specifier),
      isType: type !== undefined,
      isLater: loaded !== undefined,
    };
  }
}

const resolveOwn = (file: string, specifier: string): string =>
  specifier.startsWith('.')
    ? normalize(join(dirname(file), specifier))
        .split(sep)
        .join('/')
    : specifier;

function checkOwn(file: string, component: string, specifier: string): string | undefined {
  const target = resolveOwn(file, specifier);
  const targetComponent = componentOf(target);
  if (targetComponent === undefined)
    return target.startsWith('src/') ? `imports ${target}, which is in no component` : undefined;
  if (targetComponent === component || isAllowed(file, component, targetComponent)) return undefined;
  const allowed = allowedImports[component] ?? [];
  return `"${component}" may not import "${targetComponent}" (${specifier}); it may import: ${allowed.join(', ') || 'nothing'}`;
}

const isAllowed = (file: string, component: string, wanted: string): boolean =>
  allowedImports[component]?.includes(wanted) === true || exceptions[file]?.includes(wanted) === true;

function checkVendor(file: string, component: string, specifier: string): string | undefined {
  const name = specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
  const components = vendorComponents[name];
  if (components === undefined) {
    if (specifier.startsWith('node:')) return undefined;
    return `imports the package "${name}", which has no component yet; give it one in scripts/import-rules.ts`;
  }
  const isAtHome = components.some((home) => home === '*' || component === home || component.startsWith(`${home}/`));
  if (isAtHome || exceptions[file]?.includes(name) === true) return undefined;
  return `the package "${name}" belongs to ${components.join(', ')}; reach it through a port`;
}

/** Finds everything that a root of `loadingRules` loads although it must not. `sources` maps paths to file contents. */
export const checkLoading = (sources: ReadonlyMap<string, string>): Violation[] =>
  loadingRules.flatMap((rule) => checkRoot(sources, rule));

function checkRoot(sources: ReadonlyMap<string, string>, rule: LoadingRule): Violation[] {
  const { root, instead } = rule;
  const violations: Violation[] = [];
  const seen = new Set<string>();
  const visit = (file: string, path: readonly string[]) => {
    const source = sources.get(file);
    if (source === undefined || seen.has(file)) return;
    seen.add(file);
    const code = withoutComments(source);
    for (const { specifier, index, isType, isLater } of importsOf(code)) {
      if (isType || isLater) continue;
      const target = resolveOwn(file, specifier);
      if (!isExcluded(rule, file, target)) {
        visit(target, [...path, file]);
        continue;
      }
      const line = code.slice(0, index).split('\n').length;
      const way = path.length === 0 ? '' : ` (by ${path.join(' > ')})`;
      const message = `makes ${root} load ${specifier}${way}; ${instead}`;
      violations.push({ file, line, message });
    }
  };
  visit(root, []);
  return violations;
}

function isExcluded({ components, packages, exempt }: LoadingRule, file: string, target: string): boolean {
  const component = componentOf(target);
  if (component !== undefined) return components.includes(component);
  const isExempt = exempt.some((folder) => file.startsWith(folder));
  return !isExempt && packages.some((name) => target === name || target.startsWith(`${name}/`));
}

/** `src/store/sql/x.ts` → `store/sql` if `allowedImports` has an entry for it, otherwise `store`. */
function componentOf(file: string): string | undefined {
  if (file.startsWith('tools/')) return 'tools';
  if (!file.startsWith('src/')) return undefined;
  const parts = file
    .slice('src/'.length)
    .replace(/\.[jt]sx?$/, '')
    .split('/');
  const [top = '', below] = parts;
  const nested = parts.length > 2 ? `${top}/${below}` : undefined;
  return [nested, top].find((component): component is string => component !== undefined && component in allowedImports);
}

// Comments are replaced by spaces rather than removed, so that line numbers remain valid.
function withoutComments(source: string): string {
  return source.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, (comment) => comment.replace(/[^\n]/g, ' '));
}

if (import.meta.main) {
  const root = fileURLToPath(new URL('..', import.meta.url));
  const sources = new Map(
    globSync(['src/**/*.{ts,tsx,js}', 'tools/**/*.ts'], { cwd: root }).map((file) => [
      relative(root, join(root, file)).split(sep).join('/'),
      readFileSync(join(root, file), 'utf8'),
    ]),
  );
  const violations = [
    ...[...sources].flatMap(([file, source]) => checkFile(file, source)),
    ...checkLoading(sources),
    ...findCycles(sources),
  ];
  for (const { file, line, message } of violations) console.error(`${file}:${line}: ${message}.`);
  if (violations.length > 0) process.exitCode = 1;
  else console.log(`${sources.size} files import downwards only and without cycles.`);
}
