import { useEffect } from 'preact/hooks';

/** State of the history entry of an opened source. It has the same URL as the entry of the answer below it. */
const SOURCE = { source: 'opened' };

const isAtSource = (): boolean => Object(history.state).source === SOURCE.source;

/**
 * Gives an opened source an entry in the history, so that Back closes the source instead of leaving the answer. Back would
 * do nothing on the entry of a source that is not shown any more, for example after a reload, so that entry is left.
 */
export function useSourceHistory(isOpen: boolean, onBack: () => void): void {
  useEffect(() => {
    if (!isOpen) leaveSourceEntry();
  }, []);
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

/** Leaves the entry of a source that is no longer shown, and then continues at the entry of the answer. */
export function leaveSourceEntry(continueThere = () => {}): void {
  if (!isAtSource()) {
    continueThere();
    return;
  }
  const left = () => {
    history.scrollRestoration = 'auto';
    continueThere();
  };
  addEventListener('popstate', left, { once: true });
  history.back();
}
