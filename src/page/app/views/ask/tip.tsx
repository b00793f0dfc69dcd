import { signal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { texts } from '../../texts.ts';
import type { Quote, Verdict } from './answer-state.ts';
import { sourceLabel } from './source-label.ts';

export const TIP_ID = 'ask-tip';

interface Tip {
  /** Element id of the chip. */
  readonly of: string;
  readonly at: DOMRect;
  readonly title: string;
  readonly quote?: Quote;
  readonly verdict?: Verdict;
}

/** The quote of the hovered or focused chip; a single tooltip, so that many chips stay cheap. */
export const tip = signal<Tip | undefined>(undefined);

const MARGIN = 8;
const MAX_QUOTE = 420;
/** Milliseconds to move the pointer from the chip onto the quote. */
const HIDE_DELAY_MS = 180;

let leaving: ReturnType<typeof setTimeout> | undefined;

export function showTip(next: Tip): void {
  clearTimeout(leaving);
  tip.value = next;
}

export function hideTip(of: string): void {
  clearTimeout(leaving);
  leaving = setTimeout(() => {
    if (tip.value?.of === of) tip.value = undefined;
  }, HIDE_DELAY_MS);
}

export function QuoteTip() {
  const box = useRef<HTMLDivElement>(null);
  const shown = tip.value;
  useLayoutEffect(() => {
    if (box.current === null || shown === undefined) return;
    const { width, height } = box.current.getBoundingClientRect();
    const left = Math.min(Math.max(MARGIN, shown.at.left), innerWidth - width - MARGIN);
    const isAbove = shown.at.bottom + height + MARGIN > innerHeight && shown.at.top > height + MARGIN;
    box.current.style.left = `${Math.max(MARGIN, left)}px`;
    box.current.style.top = `${isAbove ? shown.at.top - height - 2 : shown.at.bottom + 2}px`;
  }, [shown]);
  useEffect(() => {
    if (shown === undefined) return;
    const close = () => {
      tip.value = undefined;
    };
    const closeByKey = (event: KeyboardEvent) => {
      if (event.key === 'Escape') close();
    };
    addEventListener('keydown', closeByKey);
    addEventListener('scroll', close, { capture: true, passive: true });
    return () => {
      removeEventListener('keydown', closeByKey);
      removeEventListener('scroll', close, { capture: true });
    };
  }, [shown]);
  if (shown === undefined) return null;
  const { quote, verdict, title, of } = shown;
  return (
    <div
      ref={box}
      id={TIP_ID}
      class="tip"
      role="tooltip"
      onMouseEnter={() => clearTimeout(leaving)}
      onMouseLeave={() => hideTip(of)}
    >
      {quote !== undefined && <blockquote>{clip(quote.text)}</blockquote>}
      <p class="tip-place">{sourceLabel(title, quote)}</p>
      {verdict !== undefined && <p class={`tip-verdict ${verdict}`}>{texts.ask.verdictHints[verdict]}</p>}
    </div>
  );
}

const clip = (text: string): string => (text.length > MAX_QUOTE ? `${text.slice(0, MAX_QUOTE)}…` : text);
