import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Draw, layouts } from './pages/layouts.ts';
import { languages } from './pages/words/languages.ts';
import type { Words } from './pages/words/words.ts';

const FOLDER = fileURLToPath(new URL('../test/fixtures/pages', import.meta.url));

/** Writes the pages of test/fixtures/pages: every layout in every language, each with its expected text. */
rmSync(FOLDER, { recursive: true, force: true });
mkdirSync(FOLDER, { recursive: true });
let count = 0;
for (const [name, layout] of Object.entries(layouts)) {
  for (const words of languages) {
    const { html, gold } = layout(words, drawing(words, hash(`${name}-${words.code}`)));
    writeFileSync(join(FOLDER, `${name}.${words.code}.html`), html);
    writeFileSync(join(FOLDER, `${name}.${words.code}.txt`), `${gold.filter((text) => text !== '').join('\n\n')}\n`);
    count += 1;
  }
}
console.log(`${count} pages in ${FOLDER}.`);

/** Draws deterministically from the seed, so that pages change only if this program changes. */
function drawing(words: Words, seed: number): Draw {
  let state = seed;
  const number = (min: number, max: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return min + ((state >>> 8) % (max - min + 1));
  };
  const some = <T>(items: readonly T[], wanted: number): readonly T[] => {
    const start = number(0, items.length - 1);
    return Array.from(
      { length: Math.min(wanted, items.length) },
      (_, index) => items[(start + index) % items.length] as T,
    );
  };
  const joint = words.code === 'ja' || words.code === 'zh' ? '' : ' ';
  const draw: Draw = {
    number,
    some,
    pick: (items) => some(items, 1)[0] as (typeof items)[number],
    sentences: (wanted) => some(words.sentences, wanted),
    paragraph: () => some(words.sentences, number(2, 4)).join(joint),
  };
  return draw;
}

function hash(text: string): number {
  let value = 2_166_136_261;
  for (const char of text) value = Math.imul(value ^ (char.codePointAt(0) ?? 0), 16_777_619);
  return value >>> 0;
}
