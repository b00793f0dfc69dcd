import { load } from 'cheerio';
import { createTextBuilder } from '../build-text.ts';
import { cleanLine, cleanText } from '../encoding/clean-text.ts';
import { limitNesting } from '../limit-nesting.ts';
import type { Block } from '../reader.ts';
import { removeNoteMarks } from './html.ts';
import { addHtmlBlocks } from './html-blocks.ts';
import { removeMarks } from './html-code.ts';
import { removeHidden } from './html-hidden.ts';
import { writeFormulas } from './html-math.ts';

export interface WholeHtml {
  readonly text: string;
  readonly blocks: readonly Block[];
  /** The title in its head. */
  readonly title?: string;
}

/** Reads HTML that consists of content only, as in mails and books, without removing navigation. */
export function readWholeHtml(html: string): WholeHtml {
  const $ = load(limitNesting(html));
  const title = cleanLine($('head > title').first().text());
  writeFormulas($);
  for (const root of $.root().get()) removeHidden(root);
  removeNoteMarks($);
  removeMarks($);
  const builder = createTextBuilder();
  const cleaned: typeof builder = {
    ...builder,
    add: (kind, text, heading) => builder.add(kind, cleanText(text), heading),
  };
  for (const root of $('body').get()) addHtmlBlocks(cleaned, root);
  const { text, blocks } = builder.finish();
  return { text, blocks, ...(title !== '' && { title }) };
}
