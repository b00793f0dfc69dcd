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
  readonly part: PagePart | undefined;
  /** Whether the quote starts on this page, which is then scrolled into view. */
  readonly isFirst: boolean;
  /** Reports the ratio of height to width. */
  readonly onShape: (number: number, ratio: number) => void;
}

/** Some devices limit a canvas to this many pixels. */
const MAX_POINTS = 16_000_000;

/** A rendered page with a text layer, which can be selected, searched and marked. Mounted only while visible. */
export function PdfPage({ pdf, number, width, part, isFirst, onShape }: PdfPageProps) {
  const holder = useRef<HTMLDivElement>(null);
  const [layer, setLayer] = useState<readonly HTMLElement[]>();
  const [failure, setFailure] = useState(false);
  useEffect(() => {
    const { current } = holder;
    if (current === null) return;
    const drawing = draw(pdf, number, width, current);
    drawing.done.then(
      (drawn) => {
        if (drawn === undefined) return;
        onShape(number, drawn.ratio);
        setLayer(drawn.runs);
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
    if (layer === undefined || part === undefined) return;
    let isOver = false;
    let restore = () => {};
    void pdf.textOf(number).then(({ items }) => {
      if (isOver) return;
      const marks = runsOf(part, items).flatMap(({ run, from, to }) => {
        const element = layer[run];
        return element === undefined ? [] : [markWithin(element, from, to)];
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
  }, [pdf, number, layer, part, isFirst]);

  return (
    <article aria-label={texts.source.pageOf(number, pdf.pageCount)}>
      <div ref={holder} class="pdf-drawing" />
      {failure && <p class="notice">{texts.source.pageFailed}</p>}
    </article>
  );
}

interface Drawn {
  readonly ratio: number;
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
    return { ratio: plain.height / plain.width, runs: layer.textDivs };
  };
  return {
    done: run(),
    cancel: () => {
      isOver = true;
      cancelTasks();
    },
  };
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
