/** The closest scrolling ancestor, or the page. */
export function scrollerOf(element: Element): Element {
  for (let each = element.parentElement; each !== null && each !== document.body; each = each.parentElement) {
    if (/^(auto|scroll)$/.test(getComputedStyle(each).overflowY)) return each;
  }
  return document.scrollingElement ?? document.documentElement;
}

/**
 * Scrolls the closest scrolling ancestor so that the element is in its centre, or at its start, without animation.
 * `scrollIntoView` would scroll the page as well, which moves the answer beside a source.
 */
export function scrollWithin(element: Element, block: 'center' | 'start'): void {
  const scroller = scrollerOf(element);
  const isPage = scroller === document.scrollingElement;
  const frame = isPage ? { top: 0, height: innerHeight } : scroller.getBoundingClientRect();
  const { top, height } = element.getBoundingClientRect();
  const margin = Number.parseFloat(getComputedStyle(element).scrollMarginTop) || 0;
  const target = block === 'start' ? margin : Math.max(margin, (frame.height - height) / 2);
  scroller.scrollBy({ top: top - frame.top - target, behavior: 'instant' });
}
