import { useEffect, useState } from 'preact/hooks';
import { isWithin, type Quote } from './quote.ts';
import { CONTEXT_CHARACTERS, factsOf, type QuoteFacts } from './quote-facts.ts';
import { loadText, type Shown } from './source-data.ts';
import { contradicts } from './text-window.ts';

/** Why a quote cannot be located in the original. */
export type Unusable = 'outside' | 'other_words' | 'failed';

/** Text, page and headings of a quote; undefined until loaded. */
export function useQuoteFacts({ path, document }: Shown, quote: Quote | undefined): QuoteFacts | Unusable | undefined {
  const [found, setFound] = useState<{ readonly of: string; readonly value: QuoteFacts | Unusable }>();
  const key = quote === undefined ? '' : `${path} ${quote.start}-${quote.end} ${quote.text ?? ''}`;
  const { text_length: textLength } = document;
  useEffect(() => {
    if (quote === undefined) return;
    if (!isWithin(quote, textLength)) {
      setFound({ of: key, value: 'outside' });
      return;
    }
    const leaving = new AbortController();
    const { start, end } = quote;
    const span = {
      start: Math.max(0, start - CONTEXT_CHARACTERS),
      end: Math.min(end + CONTEXT_CHARACTERS, textLength),
    };
    loadText(path, span, leaving.signal).then(
      (window) => {
        if (leaving.signal.aborted) return;
        setFound({ of: key, value: contradicts(window, quote) ? 'other_words' : factsOf(quote, window) });
      },
      () => {
        if (!leaving.signal.aborted) setFound({ of: key, value: 'failed' });
      },
    );
    return () => leaving.abort();
  }, [key, textLength]);
  return found?.of === key ? found.value : undefined;
}
