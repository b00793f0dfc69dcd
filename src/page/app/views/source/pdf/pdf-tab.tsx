import './pdf.css';
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { useResource } from '../../../api/resource.ts';
import { Failure } from '../../../parts/failure.tsx';
import { announce } from '../../../shell/announcements.tsx';
import { texts } from '../../../texts.ts';
import type { Located, PagePart } from '../locate-quote.ts';
import type { OriginalProps } from '../original-tab.tsx';
import { scrollWithin } from '../scroller.ts';
import { locateInPdf } from './locate-in-pdf.ts';
import { type OpenPdf, openPdf } from './open-pdf.ts';
import { Opening } from './opening.tsx';
import { PdfPage } from './pdf-page.tsx';

/** A PDF, opened at the page of the quote. */
export function PdfTab(props: OriginalProps) {
  const { address, document } = props;
  const [share, setShare] = useState(0);
  const opened = useResource(
    (signal) => openPdf(address, { bytes: document.size_in_bytes, signal, onProgress: setShare }),
    [address],
  );
  const pdf = opened.kind === 'loaded' ? opened.value : undefined;
  useEffect(() => () => pdf?.close(), [pdf]);
  if (opened.kind === 'failed') return <Failure error={opened.error} retry={opened.reload} />;
  if (pdf === undefined) return <Opening facts={props.facts} share={share} />;
  return <Pages {...props} pdf={pdf} />;
}

const NO_PARTS: readonly PagePart[] = [];
/** Assumed page ratio until a page is loaded. */
const A4 = Math.SQRT2;

function Pages({ pdf, facts, onMarked }: OriginalProps & { readonly pdf: OpenPdf }) {
  const list = useRef<HTMLDivElement>(null);
  const width = useWidth(list);
  const visible = useVisiblePages(list, pdf.pageCount, width > 0);
  const [shapes, setShapes] = useState<ReadonlyMap<number, number>>(new Map());
  const located = useLocated(pdf, facts);
  const parts = located?.kind === 'found' ? located.parts : NO_PARTS;
  const page = parts[0]?.page ?? facts?.page;

  const isPinned = usePinned(facts);
  useLayoutEffect(() => {
    if (width === 0 || page === undefined || !isPinned()) return;
    const shown = list.current?.querySelector(`[data-page="${page}"]`);
    const mark = shown?.querySelector('mark');
    if (mark) scrollWithin(mark, 'center');
    else if (shown) scrollWithin(shown, 'start');
  }, [width > 0, page, facts, shapes]);
  useEffect(() => {
    if (located === undefined) return;
    onMarked(located.kind);
    if (located.kind === 'found') announce(texts.source.markedOnPage(page ?? 1));
  }, [located]);

  const setShape = useCallback((number: number, ratio: number) => {
    setShapes((before) => (before.get(number) === ratio ? before : new Map(before).set(number, ratio)));
  }, []);
  const usual = shapes.get(page ?? 1) ?? shapes.values().next().value ?? A4;
  return (
    <div class="pdf-pages" ref={list}>
      {width > 0 &&
        Array.from({ length: pdf.pageCount }, (_, index) => index + 1).map((number) => {
          const height = Math.round(width * (shapes.get(number) ?? usual));
          return (
            <div
              key={number}
              class="pdf-page"
              data-page={number}
              style={{ width: `${width}px`, height: `${height}px` }}
            >
              {(visible.has(number) || number === page) && (
                <PdfPage
                  pdf={pdf}
                  number={number}
                  width={width}
                  parts={parts}
                  isFirst={parts[0]?.page === number}
                  onShape={setShape}
                />
              )}
            </div>
          );
        })}
    </div>
  );
}

function useLocated(pdf: OpenPdf, facts: OriginalProps['facts']): Located | undefined {
  const [located, setLocated] = useState<{ readonly of: OriginalProps['facts']; readonly value: Located }>();
  useEffect(() => {
    if (facts === undefined) return;
    let isOver = false;
    const settle = (value: Located) => {
      if (!isOver) setLocated({ of: facts, value });
    };
    locateInPdf(pdf, facts).then(settle, () => settle({ kind: 'not_found' }));
    return () => {
      isOver = true;
    };
  }, [pdf, facts]);
  return located !== undefined && located.of === facts ? located.value : undefined;
}

/** Pages move while their sizes become known. Until the reader scrolls, the quote is brought back into view. */
function usePinned(facts: OriginalProps['facts']): () => boolean {
  const pinned = useRef(true);
  useEffect(() => {
    pinned.current = true;
    const release = () => {
      pinned.current = false;
    };
    const kinds = ['wheel', 'touchmove', 'keydown', 'pointerdown'] as const;
    for (const kind of kinds) addEventListener(kind, release, { passive: true });
    return () => {
      for (const kind of kinds) removeEventListener(kind, release);
    };
  }, [facts]);
  return () => pinned.current;
}

const MAX_WIDTH = 900;
/** Pixels of a page's borders, which are outside its width. */
const BORDERS = 2;

/** Page width for the size of the window and the pane. */
function useWidth(list: { readonly current: HTMLElement | null }): number {
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const { current } = list;
    if (current === null) return;
    const measure = () => setWidth(Math.floor(Math.min(MAX_WIDTH, current.clientWidth - BORDERS)));
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(current);
    return () => observer.disconnect();
  }, []);
  return width;
}

/** The visible pages and their neighbours. */
function useVisiblePages(list: { readonly current: HTMLElement | null }, count: number, isLaidOut: boolean) {
  const [visible, setVisible] = useState<ReadonlySet<number>>(new Set());
  useEffect(() => {
    const { current } = list;
    if (current === null || !isLaidOut) return;
    const observer = new IntersectionObserver(
      (entries) => {
        setVisible((before) => {
          const after = new Set(before);
          for (const { target, isIntersecting } of entries) {
            const number = Number((target as HTMLElement).dataset['page']);
            if (isIntersecting) after.add(number);
            else after.delete(number);
          }
          return after;
        });
      },
      { rootMargin: '400px 0px' },
    );
    for (const page of current.children) observer.observe(page);
    return () => observer.disconnect();
  }, [count, isLaidOut]);
  return visible;
}
