/** The closest scrolling ancestor, or the page. */
export function scrollerOf(element: Element): Element {
  for (let each = element.parentElement; each !== null && each !== document.body; each = each.parentElement) {
    if (/^(auto|scroll)$/.test(getComputedStyle(each).overflowY)) return each;
  }
  return document.scrollingElement ?? document.documentElement;
}

/**
 * Scrolls the closest scrolling ancestor so that the element is in its centre, or at its start, without animation. It is
 * not scrolled for the centre if the element is in sight without that, so that a title above is shown whole.
 * `scrollIntoView` would scroll the page as well, which moves the answer beside a source.
 */
export function scrollWithin(element: Element, block: 'center' | 'start'): void {
  const scroller = scrollerOf(element);
  const isPage = scroller === document.scrollingElement;
  const frame = isPage ? { top: 0, height: innerHeight } : scroller.getBoundingClientRect();
  const { top, height } = element.getBoundingClientRect();
  const margin = Number.parseFloat(getComputedStyle(element).scrollMarginTop) || 0;
  const bottom = top + height - frame.top + scroller.scrollTop;
  if (block === 'center' && bottom <= frame.height - BELOW) {
    scroller.scrollTo({ top: 0, behavior: 'instant' });
    return;
  }
  const target = block === 'start' ? margin : Math.max(margin, (frame.height - height) / 2);
  scroller.scrollBy({ top: top - frame.top - target, behavior: 'instant' });
}

/** How far above the lower edge an element counts as in sight, which leaves a line of what follows. */
const BELOW = 40;
