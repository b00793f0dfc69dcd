import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { decodeText } from '../src/ingest/readers/encoding/decode-text.ts';
import { declaredCharset } from '../src/ingest/readers/html/html-charset.ts';
import { readHtmlPage } from '../src/ingest/readers/html/html-page.ts';

/**
 * Scores main content extraction: token precision, recall and F1 against the expected text of each page.
 *
 *   node scripts/score-extraction.ts [--pages <folder>] [--half tune|report] [--peers <folder>] [--each]
 *
 * `--pages` is a folder in one of three layouts: `<name>.html` with its text in `<name>.txt`; `ground-truth.json`, an
 * object of `<name>: { articleBody }`, with `html/<name>.html.gz` (scrapinghub/article-extraction-benchmark); or
 * `ground-truth/<name>.json` with `ground_truth.main_content` and `html/<name>.html.gz` (a split of the Web Content
 * eXtraction Benchmark). `--half` takes the pages whose name has an odd (tune) or even (report) first byte in its SHA-1
 * hash. `--peers` is a folder in which @mozilla/readability, linkedom and defuddle are installed (npm install …); they
 * are scored on the same pages.
 */
const options = new Map(process.argv.slice(2).map((argument, index, all) => [argument, all[index + 1] ?? '']));
const folder = resolve(options.get('--pages') ?? new URL('../test/fixtures/pages', import.meta.url).pathname);

interface Page {
  readonly name: string;
  readonly html: Buffer;
  readonly gold: string;
}

const half = options.get('--half');
const pages = readPages().filter(
  ({ name }) =>
    half === undefined || ((createHash('sha1').update(name).digest()[0] ?? 0) % 2 === 1) === (half === 'tune'),
);
if (pages.length === 0) throw new Error(`${folder} holds no pages; run scripts/make-pages.ts.`);

function readPages(): Page[] {
  const packed = (name: string) => gunzipSync(readFileSync(join(folder, 'html', `${name}.html.gz`)));
  const json = (path: string) => JSON.parse(readFileSync(join(folder, path), 'utf8'));
  if (existsSync(join(folder, 'ground-truth.json'))) {
    const all = json('ground-truth.json') as Record<string, { articleBody: string }>;
    return Object.entries(all).map(([name, { articleBody }]) => ({ name, html: packed(name), gold: articleBody }));
  }
  if (existsSync(join(folder, 'ground-truth'))) {
    return readdirSync(join(folder, 'ground-truth')).map((file) => {
      const { ground_truth: truth, _internal: about } = json(`ground-truth/${file}`);
      const name = file.replace(/\.json$/, '');
      return { name: `${about.page_type.primary}.${name}`, html: packed(name), gold: String(truth.main_content ?? '') };
    });
  }
  return readdirSync(folder)
    .filter((name) => name.endsWith('.html'))
    .map((name) => ({
      name: name.replace(/\.html$/, ''),
      html: readFileSync(join(folder, name)),
      gold: readFileSync(join(folder, name.replace(/\.html$/, '.txt')), 'utf8'),
    }));
}

type Extract = (html: Buffer) => string | Promise<string>;
const URL_OF_PAGES = 'https://pages.example/a/b';
const extractors: Record<string, Extract> = {
  citewell: (html) => readHtmlPage(html, URL_OF_PAGES).text,
  ...(await peersIn(options.get('--peers'))),
};

for (const [name, extract] of Object.entries(extractors)) {
  // Warm-up, so that JIT compilation does not count.
  for (const { html } of pages.slice(0, 20)) await extract(html);
  let milliseconds = 0;
  const scores: { name: string; f1: number; precision: number; recall: number }[] = [];
  for (const page of pages) {
    const startedAt = performance.now();
    const text = await extract(page.html);
    milliseconds += performance.now() - startedAt;
    scores.push({ name: page.name, ...score(tokens(text), tokens(page.gold)) });
  }
  const mean = (of: 'f1' | 'precision' | 'recall') => scores.reduce((sum, each) => sum + each[of], 0) / scores.length;
  const figures = [
    `F1 ${mean('f1').toFixed(4)}`,
    `precision ${mean('precision').toFixed(4)}`,
    `recall ${mean('recall').toFixed(4)}`,
  ];
  console.log(
    `${name.padEnd(22)} ${figures.join('  ')}  ${(milliseconds / pages.length).toFixed(1)} ms a page, ${pages.length} pages`,
  );
  const kinds = Object.groupBy(scores, ({ name: page }) =>
    page.includes('.') ? (page.split('.')[0] ?? '') : 'article',
  );
  console.log(
    `  ${Object.entries(kinds)
      .map(([kind, of = []]) => `${kind} ${(of.reduce((sum, { f1 }) => sum + f1, 0) / of.length).toFixed(3)}`)
      .join('  ')}`,
  );
  if (options.has('--each')) {
    for (const { name: page, f1, precision, recall } of scores.filter(({ f1: value }) => value < 0.97)) {
      console.log(`    ${page} F1 ${f1.toFixed(3)} P ${precision.toFixed(3)} R ${recall.toFixed(3)}`);
    }
  }
}

/** Splits text into words, or into single characters for scripts without spaces. */
function tokens(text: string): readonly string[] {
  return text.toLowerCase().match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|[\p{L}\p{M}\p{N}]+/gu) ?? [];
}

function score(found: readonly string[], wanted: readonly string[]) {
  const left = new Map<string, number>();
  for (const token of wanted) left.set(token, (left.get(token) ?? 0) + 1);
  let shared = 0;
  for (const token of found) {
    const count = left.get(token) ?? 0;
    if (count > 0) shared += 1;
    left.set(token, count - 1);
  }
  const precision = found.length === 0 ? 0 : shared / found.length;
  const recall = wanted.length === 0 ? 1 : shared / wanted.length;
  return { precision, recall, f1: precision + recall === 0 ? 0 : (2 * precision * recall) / (precision + recall) };
}

async function peersIn(place: string | undefined): Promise<Record<string, Extract>> {
  if (place === undefined) return {};
  const modules = createRequire(join(resolve(place), 'package.json'));
  // Defuddle's entry point for Node has no `require` condition, so `require.resolve` does not find it.
  const pathOf = (name: string) =>
    name === 'defuddle/node' ? join(resolve(place), 'node_modules/defuddle/dist/node.js') : modules.resolve(name);
  const load = async (name: string) => {
    try {
      return await import(pathToFileURL(pathOf(name)).href);
    } catch (error) {
      console.log(`${name} is not in ${place}: ${(error as Error).message.split('\n')[0]}`);
      return undefined;
    }
  };
  const [linkedom, readability, defuddle] = await Promise.all([
    load('linkedom'),
    load('@mozilla/readability'),
    load('defuddle/node'),
  ]);
  const decoded = (html: Buffer) => decodeText(html, { declared: declaredCharset(html) })?.text ?? '';
  const textOf = (html: string): string =>
    linkedom.parseHTML(`<html><body>${html}</body></html>`).document.body.textContent ?? '';
  const spaced = (html: string): string =>
    textOf(html.replaceAll(/<(?=\/?(?:p|div|li|h\d|td|th|tr|br|pre|section)\b)/gi, ' <'));
  return {
    ...(linkedom &&
      readability && {
        'readability/linkedom': (html: Buffer) => {
          const { Readability } = readability.default ?? readability;
          const article = new Readability(linkedom.parseHTML(decoded(html)).document).parse();
          return spaced(article?.content ?? '');
        },
      }),
    ...(linkedom &&
      defuddle && {
        defuddle: async (html: Buffer) =>
          spaced((await defuddle.Defuddle(linkedom.parseHTML(decoded(html)).document, URL_OF_PAGES)).content ?? ''),
      }),
  };
}
