import { useEffect, useState } from 'preact/hooks';
import { findChunkAt } from './find-chunk.ts';
import { isWithin, type Quote } from './quote.ts';
import { CONTEXT_CHARACTERS, factsOf, type QuoteFacts } from './quote-facts.ts';
import { loadChunks, loadText, type Shown } from './source-data.ts';
import { contradicts } from './text-window.ts';

/** Why a quote cannot be located in the original. */
export type Unusable = 'outside' | 'other_words' | 'failed';

/** Text, page and headings of a quote; undefined until loaded. */
export function useQuoteFacts({ path, document }: Shown, quote: Quote | undefined): QuoteFacts | Unusable | undefined {
  const [found, setFound] = useState<{ readonly of: string; readonly value: QuoteFacts | Unusable }>();
  const key = quote === undefined ? '' : `${path} ${quote.start}-${quote.end} ${quote.text ?? ''}`;
  const { text_length: textLength, chunk_count: total } = document;
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
    Promise.all([
      loadText(path, span, leaving.signal),
      // Headings are optional; without them the page is shown.
      findChunkAt(start, { total, textLength }, (page) => loadChunks(path, page, leaving.signal)).catch(
        () => undefined,
      ),
    ]).then(
      ([window, chunk]) => {
        if (leaving.signal.aborted) return;
        const value = contradicts(window, quote) ? 'other_words' : factsOf(quote, window, chunk?.heading_path ?? []);
        setFound({ of: key, value });
      },
      () => {
        if (!leaving.signal.aborted) setFound({ of: key, value: 'failed' });
      },
    );
    return () => leaving.abort();
  }, [key, textLength, total]);
  return found?.of === key ? found.value : undefined;
}
