import type { Page } from 'playwright-core';
import { holds } from './suite.ts';

/** Minimum width and height of every target: WCAG 2.2, 2.5.8. */
const LEAST = 24;
/** Minimum width and height of a target with a place of its own. */
const FINGER = 44;
/** Controls that stand in lines of text. */
const IN_TEXT = '.chip, .graph-name, .hit-more';

/** Controls of the page that are too small to be touched, described by markup and size. Links within a sentence may be small. */
export async function smallTargets(page: Page): Promise<readonly string[]> {
  const { measured, small } = (await page.evaluate(`(() => {
    const hasOwnText = (element) => [...element.childNodes].some((node) =>
      node.nodeType === Node.TEXT_NODE && /[\\p{L}\\p{N}]/u.test(node.nodeValue));
    const inSentence = (element) => element.matches('a') && getComputedStyle(element).display === 'inline' &&
      hasOwnText(element.parentElement);
    const boxOf = (element) => (element.labels?.length && element.matches('[type=checkbox], [type=radio]')
      ? element.labels[0] : element).getBoundingClientRect();
    const isSmall = (element) => {
      const { width, height } = boxOf(element);
      const least = element.matches(${JSON.stringify(IN_TEXT)}) ? ${LEAST} : ${FINGER};
      // Zoom and fractional positions make a box smaller by less than a pixel.
      return height < least - 0.5 || width < (element.matches('a') ? ${LEAST} : least) - 0.5;
    };
    const top = document.querySelector('dialog[open]') ?? document;
    const shown = [...top.querySelectorAll('a[href], button, input, select, textarea, summary, [role=tab]')]
      .filter((element) => element.checkVisibility({ visibilityProperty: true, opacityProperty: false }) &&
        element.type !== 'file' && !element.matches('.skip') && !inSentence(element));
    return {
      measured: shown.length,
      small: shown.filter(isSmall).map((element) => {
        const { width, height } = boxOf(element);
        return element.outerHTML.slice(0, 110) + ' ' + Math.round(width) + '×' + Math.round(height);
      }),
    };
  })()`)) as { readonly measured: number; readonly small: readonly string[] };
  holds(measured > 0, 'there are controls to measure');
  return small;
}
