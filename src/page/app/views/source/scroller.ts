/** The nearest element around this one that scrolls, or the page. */
export function scrollerOf(element: Element): Element {
  for (let each = element.parentElement; each !== null && each !== document.body; each = each.parentElement) {
    if (/^(auto|scroll)$/.test(getComputedStyle(each).overflowY)) return each;
  }
  return document.scrollingElement ?? document.documentElement;
}

/** Brings an element into the middle, at once: the reader wants the place, not the way there. */
export function showInMiddle(element: Element): void {
  element.scrollIntoView({ block: 'center', inline: 'nearest', behavior: 'instant' });
}
