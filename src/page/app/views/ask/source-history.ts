import { useEffect } from 'preact/hooks';

/** State of the history entry of an opened source. It has the same URL as the entry of the answer below it. */
const SOURCE = { source: 'opened' };

const isAtSource = (): boolean => Object(history.state).source === SOURCE.source;

/** Gives an opened source an entry in the history, so that Back closes the source instead of leaving the answer. */
export function useSourceHistory(isOpen: boolean, onBack: () => void): void {
  useEffect(() => {
    if (!isOpen) return;
    if (!isAtSource()) {
      // Going back would otherwise scroll the answer to where it was before other citations were read.
      history.scrollRestoration = 'manual';
      history.pushState(SOURCE, '');
      history.scrollRestoration = 'auto';
    }
    const back = () => {
      if (isAtSource()) return;
      history.scrollRestoration = 'auto';
      onBack();
    };
    addEventListener('popstate', back);
    return () => removeEventListener('popstate', back);
  }, [isOpen]);
}

/** Leaves the entry of a source that is closed on the page. */
export function leaveSourceEntry(): void {
  if (isAtSource()) history.back();
}
