import type { CheerioAPI } from 'cheerio';
import { oneLine } from '../../../shared/text.ts';
import type { TextBuilder } from '../build-text.ts';
import { cleanText } from '../encoding/clean-text.ts';
import { removeMarks } from './html-code.ts';
import { removeHidden } from './html-hidden.ts';
import { writeFormulas } from './html-math.ts';
import { textBelow } from './html-nodes.ts';

/**
 * Writes formulas as text, and removes what is not to be read: hidden elements, marks of notes, line numbers. Returns
 * the number of hidden characters.
 */
export function prepareHtml($: CheerioAPI): number {
  writeFormulas($);
  let hidden = 0;
  for (const root of $.root().get()) hidden += removeHidden(root);
  removeNoteMarks($);
  removeMarks($);
  removeReadings($);
  return hidden;
}

/** A builder that cleans text, because character references may encode characters that were removed from the raw text. */
export const cleaning = (builder: TextBuilder): TextBuilder => ({
  ...builder,
  add: (kind, text, heading) => builder.add(kind, cleanText(text), heading),
});

/**
 * Removes the pronunciations above East Asian words, which would stand within these words: `灯台` with the reading
 * `とうだい` would become `灯台とうだい`. The web page skips them when it marks a quote.
 */
function removeReadings($: CheerioAPI): void {
  $('ruby').find('rt, rp, rtc').remove();
}

const NOTE_LINK = 'a[href*="#"]';

/**
 * Removes links such as `[3]` to footnotes, which are meaningless without the note and would look like citations in an
 * answer.
 */
export function removeNoteMarks($: CheerioAPI): void {
  $('sup')
    .filter(
      (_, element) =>
        /^\[? ?(?:\d{1,3}|[a-z]|note \d+) ?\]?$/i.test(oneLine(textBelow(element))) &&
        ($(element).find(NOTE_LINK).length > 0 || $(element).closest(NOTE_LINK).length > 0),
    )
    .remove();
}
