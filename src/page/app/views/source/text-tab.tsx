import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { Failure } from '../../parts/failure.tsx';
import { announce } from '../../shell/announcements.tsx';
import { texts } from '../../texts.ts';
import { isCode } from './code-types.ts';
import { isWithin, type Quote } from './quote.ts';
import { scrollerOf, scrollWithin } from './scroller.ts';
import { type Block, blocksOf, contradicts, segmentsOf } from './text-window.ts';
import { type Side, useTextWindow } from './use-text-window.ts';

export interface TextTabProps {
  readonly path: string;
  readonly length: number;
  readonly documentType: string;
  readonly quotes: readonly Quote[];
  /** Index of the active quote. */
  readonly active: number;
  /** Page and headings of that quote, for display. */
  readonly locationText: string;
}

/** The extracted text with marked quotes. Only a window of it is in the DOM. */
export function TextTab({ path, length, documentType, quotes, active, locationText }: TextTabProps) {
  const quote = quotes[active];
  const isInside = quote === undefined || isWithin(quote, length);
  const shown = useTextWindow(path, length, isInside ? quote : undefined);
  const { window, failure, loading, more, retry } = shown;
  const list = useRef<HTMLDivElement>(null);
  useSteadyScroll(list, window?.start);

  const isOther = window !== undefined && quote !== undefined && isInside && contradicts(window, quote);
  const isMarked = window !== undefined && quote !== undefined && isInside && !isOther;
  const isHere = isMarked && window.start <= quote.start && window.end > quote.start;
  useEffect(() => {
    if (!isHere) return;
    const mark = list.current?.querySelector(`mark[data-quotes~="${active}"]`);
    if (mark) scrollWithin(mark, 'center');
    announce(texts.source.quoteMarked(active + 1, quotes.length, locationText));
  }, [isHere, path, quote?.start, quote?.end]);

  if (window === undefined) {
    if (failure !== undefined) return <Failure error={failure} retry={retry} />;
    return <p class="notice">{texts.loading}</p>;
  }
  const marked = quotes.map((each) => (isWithin(each, length) && !contradicts(window, each) ? each : undefined));
  return (
    <div class="source-text-tab">
      {!isInside && quote !== undefined && (
        <p class="source-warning" role="status">
          {texts.source.outside(quote.start, quote.end, length)}
        </p>
      )}
      {isOther && (
        <p class="source-warning" role="status">
          {texts.source.notThere}
        </p>
      )}
      {window.start > 0 && <More side="before" loading={loading} more={more} />}
      <div class={isCode(documentType) ? 'source-text code' : 'source-text'} ref={list} data-start={window.start}>
        {blocksOf(window).map((block) => (
          <BlockText key={block.start} block={block} documentType={documentType} quotes={marked} active={active} />
        ))}
      </div>
      {failure !== undefined && <Failure error={failure} />}
      {window.end < length && <More side="after" loading={loading} more={more} />}
    </div>
  );
}

interface BlockTextProps {
  readonly block: Block;
  readonly documentType: string;
  readonly quotes: readonly (Quote | undefined)[];
  readonly active: number;
}

function BlockText({ block, documentType, quotes, active }: BlockTextProps) {
  const page = block.page === undefined ? undefined : texts.source.page(documentType, block.page);
  return (
    <div class="source-block" data-page={page}>
      {segmentsOf(block.text, block.start, quotes).map((segment) =>
        segment.quotes.length === 0 ? (
          segment.text
        ) : (
          <mark
            key={segment.start}
            data-quotes={segment.quotes.join(' ')}
            class={segment.quotes.includes(active) ? 'active' : undefined}
            tabIndex={quotes[active]?.start === segment.start ? 0 : undefined}
          >
            {segment.text}
          </mark>
        ),
      )}
    </div>
  );
}

interface MoreProps {
  readonly side: Side;
  readonly loading: string | undefined;
  readonly more: (side: Side) => void;
}

/** Loads more when scrolled into view; also a button, for keyboard users. */
function More({ side, loading, more }: MoreProps) {
  const button = useRef<HTMLButtonElement>(null);
  const latest = useRef(more);
  latest.current = more;
  useEffect(() => {
    const { current } = button;
    if (current === null || loading !== undefined) return;
    const observer = new IntersectionObserver((entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) latest.current(side);
    });
    observer.observe(current);
    return () => observer.disconnect();
  }, [side, loading]);
  return (
    <button type="button" class="source-more" ref={button} onClick={() => more(side)} aria-busy={loading === side}>
      {side === 'before' ? texts.source.earlier : texts.source.later}
    </button>
  );
}

/** Keeps the scroll position when text is added or removed above. */
function useSteadyScroll(list: { readonly current: HTMLElement | null }, start: number | undefined): void {
  const before = useRef<readonly { readonly node: Element; readonly top: number }[]>([]);
  useLayoutEffect(() => {
    // The first block may change when text is prepended, so the next one serves as the anchor.
    const last = before.current.find(({ node }) => node.isConnected);
    if (last === undefined) return;
    const moved = last.node.getBoundingClientRect().top - last.top;
    if (moved !== 0) scrollerOf(last.node).scrollTop += moved;
  }, [start]);
  useEffect(() => {
    const { current } = list;
    if (current === null) return;
    const remember = () => {
      const blocks = [...current.children];
      const first = blocks.findIndex((block) => block.getBoundingClientRect().bottom > 0);
      before.current = (first < 0 ? [] : blocks.slice(first, first + ANCHOR_BLOCKS)).map((node) => ({
        node,
        top: node.getBoundingClientRect().top,
      }));
    };
    remember();
    const options = { passive: true, capture: true };
    document.addEventListener('scroll', remember, options);
    return () => document.removeEventListener('scroll', remember, options);
  });
}

const ANCHOR_BLOCKS = 4;
