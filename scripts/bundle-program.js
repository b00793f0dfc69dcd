// @ts-check
import { writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join, relative, sep } from 'node:path';
import { pathToFileURL } from 'node:url';

// Bundles the compiled command line: to load its modules one by one took half of the time until the first reply to an MCP
// client. Library users, threads and child processes use the single files. Run by build.js with the folder of those.

const [folder = ''] = process.argv.slice(2);
const SOURCES = join(folder, 'src', 'cli');
const TARGET = join(folder, 'program');
/** Packages on the way to the first reply. They are bundled with all their users, so that none is loaded twice. */
const BUNDLED = /^(@modelcontextprotocol\/(client|express|node|server)|commander|ipaddr\.js|zod)$/;
const { dependencies, optionalDependencies, peerDependencies } = createRequire(import.meta.url)('../package.json');
// What the bundled packages depend on is bundled as well, since only they can rely on finding it.
const external = Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies }).filter(
  (name) => !BUNDLED.test(name),
);
/**
 * Modules that get one file with all that they import statically, except what those before have; the bundler divides
 * everything else.
 */
const PARTS = ['cli/attach-mcp', 'cli/main', 'config', 'cli/mcp'];

// Vite brings the bundler.
const fromVite = createRequire(createRequire(import.meta.url).resolve('vite/package.json'));
const { rolldown } = await import(pathToFileURL(fromVite.resolve('rolldown')).href);

const bundle = await rolldown({
  input: { 'attach-mcp': join(SOURCES, 'attach-mcp.js'), main: join(SOURCES, 'main.js') },
  // Comments name the modules by their places below it.
  cwd: folder,
  platform: 'node',
  external: external.map((name) => new RegExp(`^${name}(/|$)`)),
  plugins: [{ name: 'citewell', transform: keepPlaces, renderChunk: takeBuiltins }],
});
const { output } = await bundle.write({
  dir: TARGET,
  format: 'esm',
  // The running program keeps its source in memory.
  comments: { legal: true, annotation: false, jsdoc: false },
  // The hash keeps two builds apart: a running program loads some of its parts late.
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
 * The same code with escapes for all other characters: V8 keeps a source with a single character beyond Latin-1 in two bytes
 * for each of its characters.
 * @param {string} code
 * @param {string} fileName
 */
function inAscii(code, fileName) {
  // Its strings are what is written, so that an escape would be another one.
  if (/\bString\.raw`[^`]*[^\0-\x7f]/.test(code)) throw new Error(`${fileName} has a raw string that is not in ASCII.`);
  // Character by character of UTF-16, which regular expressions with the flag "u" read as one where two belong together.
  return code.replaceAll(/[^\0-\x7f]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/**
 * Takes Node's own modules as they are. To import one reads all of its members, some of which load much more of Node.
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
 * Modules that find files beside themselves find those beside the single files.
 * @param {string} code
 * @param {string} id
 */
function keepPlaces(code, id) {
  if (!id.startsWith(folder)) return undefined;
  // Not in a string.
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
