// @ts-check
import { writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative, sep } from 'node:path';
import { pathToFileURL } from 'node:url';

// Bundles the compiled command line, because loading its modules one by one took half of the time until the first reply
// to an MCP client, the threads of the database, of which three start with every process, and the processes that read
// documents. Library users, other threads and child processes use the unbundled files. build.js runs this script with
// the folder of those files.

const [folder = ''] = process.argv.slice(2);
const SOURCES = join(folder, 'src', 'cli');
const TARGET = join(folder, 'program');
const LOADER = join(folder, 'src', 'bundle-loader.js');
/**
 * Packages of many files that every start needs, or that many need directly after it, such as the clients of models. All
 * modules that import them are bundled too, so that none is loaded twice.
 */
const BUNDLED =
  /^(@modelcontextprotocol\/(client|express|node|server)|@opentelemetry\/api|@anthropic-ai\/sdk|commander|express|ipaddr\.js|kysely|modern-tar|openai|p-limit|pino|prom-client|robots-parser|stemmer|yazl|zod)$/;
const { dependencies, optionalDependencies, peerDependencies } = createRequire(import.meta.url)('../package.json');
// Transitive dependencies of the bundled packages are bundled as well, because only those packages can resolve them.
const external = Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies }).filter(
  (name) => !BUNDLED.test(name),
);
/**
 * Each of these modules gets a chunk with all its static imports, except those already in an earlier chunk: a start that
 * loads a few large chunks is faster than one that loads a hundred small ones. Modules that commands need while another
 * process serves the data folder come before those of the service. The bundler splits everything else.
 */
const PARTS = [
  'src/cli/attach-mcp',
  'src/store/folder-lock',
  'src/cli/main',
  'src/config',
  'src/cli/serve',
  'node_modules/zod/v4/classic/coerce',
  'node_modules/p-limit/index',
  'src/sources/kinds',
  'src/ingest/sources/source-status',
  'src/http/wire/record-parts',
  'src/cli/with-client',
  'src/cli/http-client',
  'src/toolbox/fence',
  'src/cli/mcp',
  'src/web/describe-web',
  'src/ingest/ingest-all',
  'src/adapters/open-adapters',
  'src/compose/compose',
  'src/cli/open-server',
  'src/http/v3-routes',
  'src/http/v1-routes',
];

/**
 * Folder of the first copy of each package in the bundle, by name and version.
 * @type {Map<string, string>}
 */
const firstCopies = new Map();

// The bundler is a dependency of Vite.
const fromVite = createRequire(createRequire(import.meta.url).resolve('vite/package.json'));
const { rolldown } = await import(pathToFileURL(fromVite.resolve('rolldown')).href);

await bundle(
  { 'attach-mcp': join(SOURCES, 'attach-mcp.js'), main: join(SOURCES, 'main.js') },
  {
    entryFileNames: '[name].cjs',
    codeSplitting: {
      groups: PARTS.map((part) => ({
        name: part.replace(/.*\//, ''),
        test: new RegExp(`[\\\\/]${part.replaceAll('/', '[\\\\/]')}\\.js$`),
      })),
    },
  },
);

// Bundles of their own, since a chunk shared with the command line would contain code that they do not need.
await bundleEntry('src/store/sql/sqlite/sqlite-worker');
await bundleEntry('src/ingest/preparation-process');
await bundleEntry('src/ingest/preparation-worker');

/**
 * Bundles a module that a thread or process starts with, and replaces it by a file that loads the bundle, with the code
 * cache if a thread is given its folder. Reader processes do without: it needs Node's `crypto`, whose loading takes as
 * long as the cache saves and 7 MB of memory.
 * @param {string} path
 */
async function bundleEntry(path) {
  const file = join(folder, `${path}.js`);
  const chunks = await bundle({ [basename(path)]: file }, { entryFileNames: '[name]-[hash].cjs' });
  const entry = chunks.find((/** @type {{ isEntry: boolean }} */ chunk) => chunk.isEntry);
  if (entry === undefined) throw new Error(`The bundle of ${path} has no entry.`);
  const from = (/** @type {string} */ target) => forImport(relative(dirname(file), target));
  await writeFile(
    file,
    `import { openBundle, useCodeCache } from '${from(LOADER)}';
const { workerData } = process.getBuiltinModule('node:worker_threads');
if (typeof workerData === 'string') useCodeCache(workerData);
openBundle(process.getBuiltinModule('node:path').join(import.meta.dirname, '${from(TARGET)}')).load('${entry.fileName}');
`,
  );
}

/**
 * Bundles modules into the folder of the program. Returns the written chunks.
 * @param {Record<string, string>} input
 * @param {object} options of the output
 */
async function bundle(input, options) {
  const bundled = await rolldown({
    input,
    // Comments in the output name each module by its path relative to this folder.
    cwd: folder,
    platform: 'node',
    external: external.map((name) => new RegExp(`^${name}(/|$)`)),
    plugins: [{ name: 'citewell', resolveId: takeOneCopy, transform: keepPlaces, renderChunk: takeImports }],
  });
  const { output } = await bundled.write({
    dir: TARGET,
    format: 'cjs',
    // V8 keeps the source of a running program in memory, so comments would cost memory.
    comments: { legal: true, annotation: false, jsdoc: false },
    // The hash separates builds: a running program loads some chunks lazily and must find those of its own build.
    chunkFileNames: '[name]-[hash].cjs',
    ...options,
  });
  await bundled.close();
  const chunks = output.filter((/** @type {{ type: string }} */ file) => file.type === 'chunk');
  for (const { fileName, code } of chunks) await writeFile(join(TARGET, fileName), inAscii(code, fileName));
  return chunks;
}

/**
 * Resolves a package that npm installed in several places in the same version to the first of them: Express and three of
 * its dependencies each bring the table of MIME types, which takes time and memory at every start.
 * @this {{ resolve: (source: string, importer: string, options: object) => Promise<{ id: string } | null> }}
 * @param {string} source
 * @param {string | undefined} importer
 * @param {object} options
 */
async function takeOneCopy(source, importer, options) {
  if (importer === undefined || /^[./\0]|^node:/.test(source)) return null;
  const resolved = await this.resolve(source, importer, { ...options, skipSelf: true });
  const [, folder = '', path = ''] =
    /^(.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+)(.*)$/.exec(resolved?.id ?? '') ?? [];
  if (folder === '') return resolved;
  const { name, version } = createRequire(import.meta.url)(join(folder, 'package.json'));
  const first = firstCopies.get(`${name}@${version}`) ?? folder;
  firstCopies.set(`${name}@${version}`, first);
  return { ...resolved, id: first + path };
}

/** @param {string} path */
function forImport(path) {
  return path.replaceAll(sep, '/');
}

/**
 * Escapes all characters outside ASCII. V8 stores a source with even one character outside Latin-1 as two bytes per
 * character.
 * @param {string} code
 * @param {string} fileName
 */
function inAscii(code, fileName) {
  // A raw string would contain the escape sequence itself.
  if (/\bString\.raw`[^`]*[^\0-\x7f]/.test(code)) throw new Error(`${fileName} has a raw string that is not in ASCII.`);
  // Without the flag "u", which would match a surrogate pair as one, so that each UTF-16 code unit gets its own escape.
  return code.replaceAll(/[^\0-\x7f]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/**
 * Replaces `import()` of installed packages, which a script cannot call, by the function that the loader passes. A built-in
 * module is not copied member by member to have a member `default`, which each chunk would do for each of them.
 * @param {string} code
 */
function takeImports(code) {
  const copied = /^let (\w+) = (require\("node:[\w/]+"\));\n\1 = require_rolldown_runtime\.__toESM\(\1, 1\);$/gm;
  return code
    .replaceAll(copied, 'let $1 = { __proto__: $2, default: $2 };')
    .replaceAll(/(?<![\w.'"`])import\(/g, 'importModule(');
}

/**
 * Replaces `import.meta`, so that modules which locate files relative to themselves find those beside the unbundled
 * files.
 * @param {string} code
 * @param {string} id
 */
function keepPlaces(code, id) {
  if (!id.startsWith(folder)) return undefined;
  // Skips occurrences at the start of a string.
  const replaced = code.replaceAll(/(?<!['"`])\bimport\.meta\b/g, 'moduleMeta');
  if (replaced === code) return undefined;
  const place = forImport(relative(TARGET, id));
  return `import { fileURLToPath as pathOfModule, pathToFileURL as urlOfFile } from 'node:url';
const moduleMeta = {
  url: new URL('${place}', urlOfFile(__filename)).href,
  get filename() { return pathOfModule(moduleMeta.url); },
  get dirname() { return pathOfModule(new URL('.', moduleMeta.url)); },
};
${replaced}`;
}
