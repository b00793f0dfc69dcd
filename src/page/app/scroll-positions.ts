/** How long the contents of a view may take to appear before its position is no longer restored. */
const PATIENCE_MS = 5_000;
const INTERACTIONS = ['wheel', 'touchmove', 'keydown', 'pointerdown'] as const;

let stopRestoring = () => {};

/** Stores in the current entry of the history how far it is scrolled; called before the entry is left. */
export function keepScroll(): void {
  stopRestoring();
  if (scrollY > 0) history.replaceState({ ...Object(history.state), scroll: scrollY }, '');
}

/**
 * Scrolls to where the entry was when it was left. The browser does this itself only if the contents are there at once,
 * but views load theirs.
 */
export function restoreScroll(): void {
  stopRestoring();
  const { scroll, ...others } = Object(history.state);
  if (typeof scroll !== 'number') return;
  // The entry can be left again in other ways, for which a position would be outdated.
  history.replaceState(Object.keys(others).length === 0 ? null : others, '');
  const observer = new ResizeObserver(() => scrollTo(0, scroll));
  observer.observe(document.body);
  const stop = () => {
    clearTimeout(timer);
    observer.disconnect();
    for (const kind of INTERACTIONS) removeEventListener(kind, stop);
  };
  const timer = setTimeout(stop, PATIENCE_MS);
  for (const kind of INTERACTIONS) addEventListener(kind, stop, { passive: true });
  stopRestoring = stop;
}
