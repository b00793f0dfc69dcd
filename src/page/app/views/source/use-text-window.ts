import { useEffect, useRef, useState } from 'preact/hooks';
import type { Quote } from './quote.ts';
import { loadText } from './source-data.ts';
import { join, spanAround, spanBeside, type TextWindow } from './text-window.ts';

export type Side = 'before' | 'after';

export interface ShownText {
  readonly window: TextWindow | undefined;
  readonly failure: unknown;
  /** The side that is being loaded. */
  readonly loading: Side | 'around' | undefined;
  readonly more: (side: Side) => void;
  readonly retry: () => void;
}

/** The text around a quote, and more on either side on demand. */
export function useTextWindow(path: string, length: number, quote: Quote | undefined): ShownText {
  const [window, setWindow] = useState<{ readonly of: string; readonly value: TextWindow }>();
  const [failure, setFailure] = useState<unknown>();
  const [loading, setLoading] = useState<ShownText['loading']>('around');
  const [round, setRound] = useState(0);
  const request = useRef(new AbortController());
  const shown = window?.of === path ? window.value : undefined;

  const fetchSpan = (side: Side | 'around', load: (signal: AbortSignal) => Promise<TextWindow>) => {
    request.current.abort();
    const leaving = new AbortController();
    request.current = leaving;
    setFailure(undefined);
    setLoading(side);
    load(leaving.signal).then(
      (value) => {
        if (leaving.signal.aborted) return;
        setWindow({ of: path, value });
        setLoading(undefined);
      },
      (error: unknown) => {
        if (leaving.signal.aborted) return;
        setFailure(error);
        setLoading(undefined);
      },
    );
  };

  const start = quote?.start;
  const end = quote?.end;
  const lastRound = useRef(0);
  useEffect(() => {
    const isRepeated = lastRound.current !== round;
    lastRound.current = round;
    const wanted = spanAround(quote, length);
    const isHere =
      shown !== undefined &&
      !isRepeated &&
      (quote === undefined || (shown.start <= quote.start && shown.end >= Math.min(quote.end, wanted.end)));
    if (!isHere) fetchSpan('around', (signal) => loadText(path, wanted, signal));
  }, [path, length, start, end, round]);
  useEffect(() => () => request.current.abort(), []);

  const more = (side: Side) => {
    if (shown === undefined || loading !== undefined) return;
    const wanted = spanBeside(side, shown, length);
    if (wanted === undefined) return;
    fetchSpan(side, async (signal) => {
      const next = await loadText(path, wanted, signal);
      return side === 'before' ? join(next, shown, 'first') : join(shown, next, 'second');
    });
  };
  return { window: shown, failure, loading, more, retry: () => setRound((before) => before + 1) };
}
