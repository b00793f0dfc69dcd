import { useEffect, useRef, useState } from 'preact/hooks';
import { texts } from '../../../texts.ts';
import type { PagePart } from '../locate-quote.ts';
import { showInMiddle } from '../scroller.ts';
import type { OpenPdf } from './open-pdf.ts';
import { runsOf } from './page-items.ts';

interface PdfPageProps {
  readonly pdf: OpenPdf;
  readonly number: number;
  readonly width: number;
  /** The quote, on this page and on others. */
  readonly parts: readonly PagePart[];
  /** Whether the quote starts on this page, which is then scrolled into view. */
  readonly isFirst: boolean;
  /** Reports the ratio of height to width. */
  readonly onShape: (number: number, ratio: number) => void;
}

/** Some devices limit a canvas to this many pixels. */
const MAX_POINTS = 16_000_000;

/** A rendered page with a text layer, which can be selected, searched and marked. Mounted only while visible. */
export function PdfPage({ pdf, number, width, parts, isFirst, onShape }: PdfPageProps) {
  const holder = useRef<HTMLDivElement>(null);
  const [layer, setLayer] = useState<Drawn>();
  const [failure, setFailure] = useState(false);
  useEffect(() => {
    const { current } = holder;
    if (current === null) return;
    const drawing = draw(pdf, number, width, current);
    drawing.done.then(
      (drawn) => {
        if (drawn === undefined) return;
        onShape(number, drawn.ratio);
        setLayer(drawn);
        setFailure(false);
      },
      () => setFailure(true),
    );
    return () => {
      drawing.cancel();
      current.replaceChildren();
      setLayer(undefined);
    };
  }, [pdf, number, width]);

  useEffect(() => {
    const here = parts.filter(({ page }) => page === number);
    if (layer === undefined || here.length === 0) return;
    let isOver = false;
    let restore = () => {};
    void pdf.textOf(number).then(({ items }) => {
      if (isOver) return;
      const marks = here
        .flatMap((part) => runsOf(part, items))
        .flatMap(({ run, from, to }) => {
          const element = layer.runs[run];
          if (element === undefined) return [];
          fitWidth(element, (items.runs[run]?.width ?? 0) * layer.scale);
          return [markWithin(element, from, to)];
        });
      restore = () => {
        for (const { undo } of marks) undo();
      };
      const first = marks[0]?.mark;
      if (first !== undefined && isFirst) {
        first.tabIndex = 0;
        showInMiddle(first);
      }
    });
    return () => {
      isOver = true;
      restore();
    };
  }, [pdf, number, layer, parts, isFirst]);

  return (
    <article aria-label={texts.source.pageOf(number, pdf.pageCount)}>
      <div ref={holder} class="pdf-drawing" />
      {failure && <p class="notice">{texts.source.pageFailed}</p>}
    </article>
  );
}

interface Drawn {
  readonly ratio: number;
  /** Pixels per point. */
  readonly scale: number;
  /** The element of each text run, in order. */
  readonly runs: readonly HTMLElement[];
}

function draw(pdf: OpenPdf, number: number, width: number, holder: HTMLElement) {
  let isOver = false;
  let cancelTasks = () => {};
  const run = async (): Promise<Drawn | undefined> => {
    const [page, text] = await Promise.all([pdf.page(number), pdf.textOf(number)]);
    if (isOver) return undefined;
    const plain = page.getViewport({ scale: 1 });
    const viewport = page.getViewport({ scale: width / plain.width });
    const area = viewport.width * viewport.height;
    const density = Math.min(devicePixelRatio, Math.sqrt(MAX_POINTS / area));
    const canvas = document.createElement('canvas');
    canvas.width = Math.floor(viewport.width * density);
    canvas.height = Math.floor(viewport.height * density);
    const container = document.createElement('div');
    container.className = 'pdf-text';
    holder.style.setProperty('--total-scale-factor', String(viewport.scale));
    holder.replaceChildren(canvas, container);
    const painting = page.render({ canvas, viewport, transform: [density, 0, 0, density, 0, 0] });
    const layer = new pdf.library.TextLayer({ textContentSource: text.content, container, viewport });
    cancelTasks = () => {
      painting.cancel();
      layer.cancel();
    };
    // If rendering fails, the text layer remains, which is what is cited.
    painting.promise.catch(() => undefined);
    await layer.render();
    if (isOver) return undefined;
    return { ratio: plain.height / plain.width, scale: viewport.scale, runs: layer.textDivs };
  };
  return {
    done: run(),
    cancel: () => {
      isOver = true;
      cancelTasks();
    },
  };
}

/** The text layer does not fit single letters to their width in the file; a fallback font can be much narrower. */
function fitWidth(element: HTMLElement, width: number): void {
  const own = Number.parseFloat(getComputedStyle(element).width);
  if (element.style.getPropertyValue('--scale-x') !== '' || !(width > 0) || !(own > 0)) return;
  element.style.setProperty('--scale-x', String(width / own));
}

/** Wraps a range of an element's text in a mark. */
function markWithin(element: HTMLElement, from: number, to: number) {
  const text = element.textContent ?? '';
  const mark = document.createElement('mark');
  mark.className = 'active';
  mark.dataset['quotes'] = '0';
  mark.textContent = text.slice(from, to);
  element.replaceChildren(text.slice(0, from), mark, text.slice(to));
  return { mark, undo: () => element.replaceChildren(text) };
}
