import { useState } from 'preact/hooks';
import { texts } from '../../texts.ts';
import { type Marked, originalKind } from './original-tab.tsx';
import type { QuoteFacts } from './quote-facts.ts';
import type { Shown } from './source-data.ts';
import type { Unusable } from './use-quote-facts.ts';

export const tabNames = ['original', 'text', 'passages', 'versions', 'details'] as const;
export type TabName = (typeof tabNames)[number];

interface TabsOptions {
  readonly shown: Shown;
  /** Differs for every document, version and quote. */
  readonly quoteKey: string;
  readonly hasQuote: boolean;
  readonly found: QuoteFacts | Unusable | undefined;
  readonly tab: TabName | undefined;
  readonly onTab: ((tab: TabName) => void) | undefined;
}

/**
 * The shown tab: the chosen one, otherwise the original if it can be shown. If a quote cannot be located in the
 * original, the text is shown, in which its offsets are always known.
 */
export function useTabs({ shown: { document }, quoteKey, hasQuote, found, tab, onTab }: TabsOptions) {
  const [chosen, setChosen] = useState<TabName>();
  const [marked, setMarked] = useState<{ readonly of: string; readonly value: Marked }>();
  const names: readonly TabName[] = tabNames.filter(
    (each) => each !== 'original' || originalKind(document) !== undefined,
  );
  const wanted = onTab === undefined ? chosen : tab;
  const choice = wanted !== undefined && names.includes(wanted) ? wanted : undefined;
  const result = marked?.of === quoteKey ? marked.value : undefined;
  const isLost = hasQuote && ((result !== undefined && result !== 'found') || typeof found === 'string');
  const usual = isLost ? 'text' : (names[0] ?? 'text');
  const name = choice ?? (originalKind(document) === 'image' && hasQuote ? 'text' : usual);
  return {
    names,
    name,
    show: onTab ?? setChosen,
    onMarked: (value: Marked) => setMarked({ of: quoteKey, value }),
    notice: noticeOf(name, result),
  };
}

function noticeOf(name: TabName, result: Marked | undefined): string | undefined {
  if (result === undefined || result === 'found') return undefined;
  if (name === 'original') return texts.source.unlocated;
  if (name !== 'text') return undefined;
  return result === 'ambiguous' ? texts.source.ambiguous : texts.source.notLocated;
}
