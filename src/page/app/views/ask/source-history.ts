import { useEffect } from 'preact/hooks';

/** The citation of an opened source: the n-th mark of the n-th turn, which stay the same after a reload. */
export interface CitationPlace {
  readonly turn: number;
  readonly mark: number;
}

/** State of the history entry of an opened source. It has the same URL as the entry of the answer below it. */
interface SourceEntry extends CitationPlace {
  readonly source: 'opened';
}

function sourceEntry(): SourceEntry | undefined {
  const state = Object(history.state) as Partial<SourceEntry>;
  return state.source === 'opened' ? (state as SourceEntry) : undefined;
}

interface SourceHistory {
  /** Undefined if no source is open. */
  readonly place: CitationPlace | undefined;
  readonly onBack: () => void;
  /** Returns whether the source can be opened again. */
  readonly onForward: (place: CitationPlace) => boolean;
}

/**
 * Gives an opened source an entry in the history, so that Back closes the source instead of leaving the answer, and
 * Forward opens it again. Back would do nothing on the entry of a source that cannot be shown any more, so that entry is
 * left.
 */
export function useSourceHistory({ place, onBack, onForward }: SourceHistory): void {
  const isOpen = place !== undefined;
  useEffect(() => {
    if (!isOpen) leaveSourceEntry();
  }, []);
  useEffect(() => {
    if (place === undefined) return;
    const entry: SourceEntry = { source: 'opened', ...place };
    if (sourceEntry() !== undefined) {
      history.replaceState({ ...Object(history.state), ...entry }, '');
      return;
    }
    // Going back would otherwise scroll the answer to where it was before other citations were read.
    history.scrollRestoration = 'manual';
    history.pushState(entry, '');
    history.scrollRestoration = 'auto';
  }, [place?.turn, place?.mark]);
  useEffect(() => {
    const move = () => {
      const entry = sourceEntry();
      if (isOpen && entry === undefined) {
        history.scrollRestoration = 'auto';
        onBack();
      } else if (!isOpen && entry !== undefined && !onForward(entry)) leaveSourceEntry();
    };
    addEventListener('popstate', move);
    return () => removeEventListener('popstate', move);
  }, [isOpen]);
}

/** Leaves the entry of a source that is no longer shown, and then continues at the entry of the answer. */
export function leaveSourceEntry(continueThere = () => {}): void {
  if (sourceEntry() === undefined) {
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
