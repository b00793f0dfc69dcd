// @ts-check
import { writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join, relative, sep } from 'node:path';
import { pathToFileURL } from 'node:url';

// Bundles the compiled command line, because loading its modules one by one took half of the time until the first reply
// to an MCP client. Library users, threads and child processes use the unbundled files. build.js runs this script with
// the folder of those files.

const [folder = ''] = process.argv.slice(2);
const SOURCES = join(folder, 'src', 'cli');
const TARGET = join(folder, 'program');
/** Packages needed for the first reply. All modules that import them are bundled too, so that none is loaded twice. */
const BUNDLED = /^(@modelcontextprotocol\/(client|express|node|server)|commander|ipaddr\.js|zod)$/;
const { dependencies, optionalDependencies, peerDependencies } = createRequire(import.meta.url)('../package.json');
// Transitive dependencies of the bundled packages are bundled as well, because only those packages can resolve them.
const external = Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies }).filter(
  (name) => !BUNDLED.test(name),
);
/**
 * Each of these modules gets a chunk with all its static imports, except those already in an earlier chunk. The bundler
 * splits everything else.
 */
const PARTS = ['cli/attach-mcp', 'cli/main', 'config', 'cli/mcp'];

// The bundler is a dependency of Vite.
const fromVite = createRequire(createRequire(import.meta.url).resolve('vite/package.json'));
const { rolldown } = await import(pathToFileURL(fromVite.resolve('rolldown')).href);

const bundle = await rolldown({
  input: { 'attach-mcp': join(SOURCES, 'attach-mcp.js'), main: join(SOURCES, 'main.js') },
  // Comments in the output name each module by its path relative to this folder.
  cwd: folder,
  platform: 'node',
  external: external.map((name) => new RegExp(`^${name}(/|$)`)),
  plugins: [{ name: 'citewell', transform: keepPlaces, renderChunk: takeBuiltins }],
});
const { output } = await bundle.write({
  dir: TARGET,
  format: 'esm',
  // V8 keeps the source of a running program in memory, so comments would cost memory.
  comments: { legal: true, annotation: false, jsdoc: false },
  // The hash separates builds: a running program loads some chunks lazily and must find those of its own build.
  chunkFileNames: '[name]-[hash].js',
  codeSplitting: {
    groups: PARTS.map((part) => ({
      name: part.replace(/.*\//, ''),
      test: new RegExp(`[\\\\/]src[\\\\/]${part}\\.js$`),
    })),
  },
});
await bundle.close();
for (const file of output) {
  if (file.type === 'chunk') await writeFile(join(TARGET, file.fileName), inAscii(file.code, file.fileName));
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
 * Replaces imports of Node's built-in modules by `getBuiltinModule`. An import reads all members of the module, and
 * some of them load many more parts of Node.
 * @param {string} code
 */
function takeBuiltins(code) {
  return code.replaceAll(/^import (?:(\w+), )?(?:\* as )?(.+) from "(node:[\w/]+)";$/gm, (_, also, names, name) => {
    const taken = `globalThis.process.getBuiltinModule("${name}")`;
    const bindings = `const ${names.replaceAll(/ as /g, ': ')} = ${taken};`;
    return also === undefined ? bindings : `const ${also} = ${taken}; ${bindings}`;
  });
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
  const place = relative(TARGET, id).replaceAll(sep, '/');
  return `import { fileURLToPath as pathOfModule } from 'node:url';
const moduleMeta = {
  url: new URL('${place}', import.meta.url).href,
  get filename() { return pathOfModule(moduleMeta.url); },
  get dirname() { return pathOfModule(new URL('.', moduleMeta.url)); },
};
${replaced}`;
}
