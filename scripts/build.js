// @ts-check
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

// Compiles the sources into `dist`. Plain JavaScript, because it runs before anything is compiled.

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const DIST = join(ROOT, 'dist');
const STAMP = join(DIST, '.sources');
/** Sources of the web page, which are built by a bundler rather than the compiler. */
const PAGE = join('src', 'page', 'app');
const SCRIPTS = ['scripts/demo.ts', 'scripts/build.js', 'scripts/bundle-program.js'];
const INPUTS = ['src', 'tools', ...SCRIPTS, 'tsconfig.json', 'tsconfig.build.json'];
/** Bundle parts of earlier builds are kept this long, because a running program loads some of its parts lazily. */
const PARTS_KEPT_MS = 24 * 3_600_000;

/**
 * Updates `dist` if a source has changed. Types are not checked. Does nothing without a compiler, as after
 * `npm ci --omit=dev`. Throws if a source cannot be compiled.
 */
export function buildIfStale() {
  const sources = stateOfSources();
  if (existsSync(STAMP) && readFileSync(STAMP, 'utf8') === sources) return;
  const compiler = findCompiler();
  const options = ['--noCheck', '--declaration', 'false'];
  if (compiler !== undefined) build(compiler, sources, { options, partsKeptMs: PARTS_KEPT_MS });
}

/**
 * Compiles everything for the package: checks types, writes declarations, and removes the bundle parts of earlier builds,
 * which would be packed as well.
 */
function buildForPackage() {
  const compiler = findCompiler();
  if (compiler === undefined) throw new Error('TypeScript is not installed. Run "npm ci".');
  build(compiler, stateOfSources(), { options: [], partsKeptMs: 0 });
}

/**
 * Compiles to a temporary folder and replaces changed files one by one, so that running programs and a concurrent build
 * always find complete files.
 * @param {string} compiler
 * @param {string} sources
 * @param {{ options: readonly string[], partsKeptMs: number }} how options of the compiler, and the age of bundle parts of
 *   earlier builds that are kept
 */
function build(compiler, sources, { options, partsKeptMs }) {
  const cache = join(ROOT, 'node_modules/.cache/citewell');
  mkdirSync(cache, { recursive: true, mode: 0o700 });
  const staging = mkdtempSync(join(cache, 'build-'));
  try {
    const words = [compiler, '-p', 'tsconfig.build.json', '--outDir', staging, ...options];
    run(words, 'The sources could not be compiled');
    // Files that do not run in Node (Python, the sandbox's isolate) are copied unchanged.
    const isCopied = (/** @type {string} */ path) => !path.endsWith('.ts') && relative(ROOT, path) !== PAGE;
    cpSync(join(ROOT, 'src'), join(staging, 'src'), { recursive: true, filter: isCopied });
    buildPage(join(staging, 'page'));
    bundleProgram(staging);
    const built = filesBelow(staging);
    for (const path of built) replaceIfOther(join(staging, path), join(DIST, path));
    chmodSync(join(DIST, 'src/cli/citewell.js'), 0o755);
    removeOthers(new Set(built), partsKeptMs);
    writeFileSync(STAMP, sources);
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}

/**
 * Bundles the web page. File names contain a content hash, so that browsers may cache them.
 * @param {string} folder
 */
function buildPage(folder) {
  const bundler = findProgram('vite', 'bin/vite.js');
  if (bundler === undefined) return;
  const words = [bundler, 'build', '--config', join(PAGE, 'vite.config.ts'), '--outDir', folder, '--logLevel', 'warn'];
  run(words, 'The web page could not be built');
  copyPdfData(join(folder, 'assets', 'pdf'));
}

/**
 * Bundles the command line for a fast start. Without a bundler, the unbundled files are run.
 * @param {string} folder
 */
function bundleProgram(folder) {
  if (findProgram('vite', '') === undefined) return;
  run([join(ROOT, 'scripts', 'bundle-program.js'), folder], 'The program could not be bundled');
}

/**
 * @param {readonly string[]} words
 * @param {string} problem
 */
function run(words, problem) {
  const { status, stdout, stderr } = spawnSync(process.execPath, words, { cwd: ROOT, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${problem}:\n${stdout}${stderr}`);
}

/**
 * Copies the files that pdf.js loads on demand: character maps of East Asian fonts, the standard fonts, and image
 * decoders without WebAssembly. The PDF reader uses the character maps as well.
 * @param {string} folder
 */
function copyPdfData(folder) {
  const library = findProgram('pdfjs-dist', '');
  if (library === undefined) return;
  for (const part of ['cmaps', 'standard_fonts', 'wasm']) {
    const isUsed = (/** @type {string} */ name) =>
      part !== 'wasm' || /nowasm_fallback\.js$|^LICENSE.*(JBIG2|OPENJPEG)$/.test(name);
    for (const name of readdirSync(join(library, part)).filter(isUsed)) {
      const target = name === 'LICENSE' ? `LICENSE_${part.toUpperCase()}` : name;
      cpSync(join(library, part, name), join(folder, target), { recursive: true });
    }
  }
}

/** Hash of the names, sizes and modification times of all sources. */
function stateOfSources() {
  const hash = createHash('sha256');
  for (const input of INPUTS) {
    const path = join(ROOT, input);
    const files = statSync(path).isDirectory()
      ? filesBelow(path)
          .sort()
          .map((name) => path + sep + name)
      : [path];
    for (const file of files) {
      const { size, mtimeMs } = statSync(file);
      hash.update(`${file.slice(ROOT.length)} ${size} ${mtimeMs}\n`);
    }
  }
  return hash.digest('hex');
}

/**
 * Paths of all files, relative to the folder. Every start of a checkout lists the sources, for which a recursive `readdirSync`
 * takes more than twice as long.
 * @param {string} folder
 * @returns {string[]}
 */
function filesBelow(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (entry.isFile()) return [entry.name];
    return entry.isDirectory() ? filesBelow(join(folder, entry.name)).map((path) => entry.name + sep + path) : [];
  });
}

/**
 * @param {string} from
 * @param {string} to
 */
function replaceIfOther(from, to) {
  if (existsSync(to) && readFileSync(to).equals(readFileSync(from))) return;
  mkdirSync(dirname(to), { recursive: true });
  const unfinished = `${to}.${process.pid}`;
  copyFileSync(from, unfinished);
  renameSync(unfinished, to);
}

/**
 * Removes files that no longer have a source. Keeps declarations of an earlier build, files that another build is
 * writing, and recent bundle parts.
 * @param {ReadonlySet<string>} built
 * @param {number} partsKeptMs
 */
function removeOthers(built, partsKeptMs) {
  for (const path of filesBelow(DIST)) {
    const isKept = built.has(path) || built.has(path.replace(/\.d\.ts$/, '.js')) || path === relative(DIST, STAMP);
    const isInProgress = /\.\d+$/.test(path);
    const isPart = dirname(path) === 'program' && Date.now() - statSync(join(DIST, path)).mtimeMs < partsKeptMs;
    if (!isKept && !isInProgress && !isPart) rmSync(join(DIST, path), { force: true });
  }
}

const findCompiler = () => findProgram('typescript', 'bin/tsc');

/**
 * Path of a file in an installed package; undefined if the package is not installed.
 * @param {string} name
 * @param {string} path
 */
function findProgram(name, path) {
  try {
    return join(dirname(createRequire(import.meta.url).resolve(`${name}/package.json`)), path);
  } catch {
    return undefined;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    if (process.argv.includes('--package')) buildForPackage();
    else buildIfStale();
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}
