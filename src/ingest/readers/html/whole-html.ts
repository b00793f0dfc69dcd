import { load } from 'cheerio';
import { createTextBuilder } from '../build-text.ts';
import { cleanLine } from '../encoding/clean-text.ts';
import { limitNesting } from '../limit-nesting.ts';
import type { Block } from '../reader.ts';
import { addHtmlBlocks } from './html-blocks.ts';
import { cleaning, prepareHtml } from './prepare-html.ts';

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
  prepareHtml($);
  const builder = createTextBuilder();
  for (const root of $('body').get()) addHtmlBlocks(cleaning(builder), root);
  const { text, blocks } = builder.finish();
  return { text, blocks, ...(title !== '' && { title }) };
}
