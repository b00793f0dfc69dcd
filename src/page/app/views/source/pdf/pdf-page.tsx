import { useEffect, useRef, useState } from 'preact/hooks';
import { texts } from '../../../texts.ts';
import type { PagePart } from '../locate-quote.ts';
import { scrollWithin } from '../scroller.ts';
import { markedAreas } from './marked-areas.ts';
import type { OpenPdf } from './open-pdf.ts';
import type { Area } from './page-glyphs.ts';
import { type RunPart, runsOf } from './page-items.ts';

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
  const [areas, setAreas] = useState<readonly Area[]>([]);
  const [failure, setFailure] = useState(false);
  const [isPainted, setPainted] = useState(false);
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
        void drawn.painted.then(() => setPainted(true));
      },
      () => setFailure(true),
    );
    return () => {
      drawing.cancel();
      current.replaceChildren();
      setLayer(undefined);
      setPainted(false);
    };
  }, [pdf, number, width]);

  useEffect(() => {
    const here = parts.filter(({ page }) => page === number);
    if (layer === undefined || here.length === 0) return;
    let isOver = false;
    let restore = () => {};
    void pdf.textOf(number).then(({ items, boxes }) => {
      if (isOver) return;
      const runs = here.flatMap((part) => runsOf(part, items));
      const drawn = runs.filter(({ index }) => !boxes.has(index));
      const marks = runs.flatMap(({ index, from, to }) => {
        const element = layer.runs[index];
        return element === undefined ? [] : [{ ...markWithin(element, from, to), isDrawn: !boxes.has(index) }];
      });
      restore = () => {
        for (const { undo } of marks) undo();
      };
      const first = marks[0]?.mark;
      if (first !== undefined && isFirst) {
        first.tabIndex = 0;
        scrollWithin(first, 'center');
      }
      const fields = [...new Set(runs.map(({ index }) => boxes.get(index)))].filter((box) => box !== undefined);
      void Promise.all([
        locateAreas(pdf, number, drawn).catch(() => undefined),
        locateBoxes(pdf, number, fields).catch(() => []),
      ]).then(([found, inFields]) => {
        if (isOver) return;
        const near = marks.filter(({ isDrawn }) => isDrawn).map(({ mark }) => shareOf(mark, holder.current));
        setAreas([...(found ?? near), ...inFields]);
      });
    });
    return () => {
      isOver = true;
      restore();
      setAreas([]);
    };
  }, [pdf, number, layer, parts, isFirst]);

  return (
    <article aria-label={texts.source.pageOf(number, pdf.pageCount)}>
      <div ref={holder} class="pdf-drawing" />
      <div class="pdf-marks" aria-hidden="true">
        {areas.map(({ left, top, right, bottom }) => (
          <i
            key={`${left} ${top}`}
            style={{
              left: `${left * 100}%`,
              top: `${top * 100}%`,
              width: `${(right - left) * 100}%`,
              height: `${(bottom - top) * 100}%`,
            }}
          />
        ))}
      </div>
      {!isPainted && !failure && <p class="pdf-waiting">{texts.loading}</p>}
      {failure && <p class="notice">{texts.source.pageFailed}</p>}
    </article>
  );
}

interface Drawn {
  readonly ratio: number;
  /** The element of each text item, in order. */
  readonly runs: readonly HTMLElement[];
  /** Resolves when the picture is drawn, or cannot be. */
  readonly painted: Promise<void>;
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
    // If rendering fails, the text layer is still shown; citations refer to the text.
    const painted = painting.promise.catch(() => undefined);
    await layer.render();
    if (isOver) return undefined;
    return { ratio: plain.height / plain.width, runs: layer.textDivs, painted };
  };
  return {
    done: run(),
    cancel: () => {
      isOver = true;
      cancelTasks();
    },
  };
}

/** The areas of the runs' characters as they are drawn, as shares of the page. */
async function locateAreas(pdf: OpenPdf, number: number, runs: readonly RunPart[]): Promise<Area[] | undefined> {
  const [{ content }, glyphs] = await Promise.all([pdf.textOf(number), pdf.glyphsOf(number)]);
  const texts = content.items.flatMap((item) => ('str' in item ? [item.str] : []));
  return markedAreas(runs, (index) => texts[index] ?? '', glyphs)?.map(({ left, top, right, bottom }) => ({
    left: left / glyphs.width,
    top: top / glyphs.height,
    right: right / glyphs.width,
    bottom: bottom / glyphs.height,
  }));
}

/** The areas of boxes, as shares of the page. */
async function locateBoxes(pdf: OpenPdf, number: number, boxes: readonly (readonly number[])[]): Promise<Area[]> {
  const viewport = (await pdf.page(number)).getViewport({ scale: 1 });
  return boxes.map((box) => {
    const [left = 0, bottom = 0, right = 0, top = 0] = box;
    const [x1 = 0, y1 = 0] = viewport.convertToViewportPoint(left, bottom);
    const [x2 = 0, y2 = 0] = viewport.convertToViewportPoint(right, top);
    return {
      left: Math.min(x1, x2) / viewport.width,
      top: Math.min(y1, y2) / viewport.height,
      right: Math.max(x1, x2) / viewport.width,
      bottom: Math.max(y1, y2) / viewport.height,
    };
  });
}

/** The area of an element of the text layer, which only approximates the drawn characters. */
function shareOf(element: HTMLElement, page: HTMLElement | null): Area {
  const area = element.getBoundingClientRect();
  const { left = 0, top = 0, width = 1, height = 1 } = page?.getBoundingClientRect() ?? {};
  return {
    left: (area.left - left) / width,
    top: (area.top - top) / height,
    right: (area.right - left) / width,
    bottom: (area.bottom - top) / height,
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
