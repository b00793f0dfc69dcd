/** The closest scrolling ancestor, or the page. */
export function scrollerOf(element: Element): Element {
  for (let each = element.parentElement; each !== null && each !== document.body; each = each.parentElement) {
    if (/^(auto|scroll)$/.test(getComputedStyle(each).overflowY)) return each;
  }
  return document.scrollingElement ?? document.documentElement;
}

/** Centers an element, without animation. */
export function scrollToCenter(element: Element): void {
  element.scrollIntoView({ block: 'center', inline: 'nearest', behavior: 'instant' });
}
