import { useEffect } from 'preact/hooks';
import { chipId, opened } from './selection.ts';

const citations = (): readonly HTMLElement[] => [...document.querySelectorAll<HTMLElement>('[data-cite]')];

/** Number of citations on the page and the position of the opened one, from 1. */
export function citationPlace(): { readonly at: number; readonly total: number } {
  const all = citations();
  return { at: all.findIndex(({ id }) => id === currentId()) + 1, total: all.length };
}

/** Moves to the next or previous citation and, if a source is open, shows its source. */
export function stepCitation(direction: 1 | -1): void {
  const all = citations();
  const at = all.findIndex(({ id }) => id === currentId());
  const next = all[at < 0 ? (direction > 0 ? 0 : all.length - 1) : at + direction];
  if (next === undefined) return;
  next.scrollIntoView({ block: 'nearest' });
  // While a source is open, it keeps the focus.
  if (opened.value === undefined) next.focus();
  else next.click();
}

/** Keyboard shortcuts: `j` and `k` step through the citations. */
export function useCitationKeys(): void {
  useEffect(() => {
    const step = (event: KeyboardEvent) => {
      const isPlain = !(event.ctrlKey || event.metaKey || event.altKey || event.isComposing);
      if (!isPlain || (event.key !== 'j' && event.key !== 'k') || isWriting(event.target)) return;
      event.preventDefault();
      stepCitation(event.key === 'j' ? 1 : -1);
    };
    addEventListener('keydown', step);
    return () => removeEventListener('keydown', step);
  }, []);
}

const currentId = (): string =>
  opened.value === undefined ? (document.activeElement?.closest('[data-cite]')?.id ?? '') : chipId(opened.value);

const isWriting = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.closest('input, textarea, select, [contenteditable]') !== null;
