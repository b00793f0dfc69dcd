import type { PDFDocumentProxy, PDFPageProxy, PDFWorker } from 'pdfjs-dist';
import workerAddress from 'pdfjs-dist/build/pdf.worker.min.mjs?url';
import type { TextContent } from 'pdfjs-dist/types/src/display/api';
import { ANNOTATION_FONT, annotationItems, type PdfAnnotation } from '../../../../../pdf-layout/annotation-items.ts';
import { type LinkedGlyphs, linkGlyphs } from './link-glyphs.ts';
import { type GlyphFont, placeGlyphs } from './page-glyphs.ts';
import { type PageItems, pageItems } from './page-items.ts';

export type PdfLibrary = typeof import('pdfjs-dist');

export interface PdfPageText {
  readonly content: TextContent;
  readonly items: PageItems;
  /** The boxes of form fields and other annotations, by the index of their text item. */
  readonly boxes: ReadonlyMap<number, readonly number[]>;
}

/** The characters of a page as they are drawn. */
export interface PdfPageGlyphs extends LinkedGlyphs {
  /** Size of the page, in the same unit as the positions of the glyphs. */
  readonly width: number;
  readonly height: number;
}

/** An open PDF. Pages and their texts are loaded on demand and cached. */
export interface OpenPdf {
  readonly library: PdfLibrary;
  readonly pageCount: number;
  page(number: number): Promise<PDFPageProxy>;
  textOf(number: number): Promise<PdfPageText>;
  glyphsOf(number: number): Promise<PdfPageGlyphs>;
  close(): void;
}

interface PdfEngine {
  readonly library: PdfLibrary;
  readonly worker: PDFWorker;
}

let engine: Promise<PdfEngine> | undefined;

/** Loads the library and starts its worker, once for all documents. */
export function startPdf(): Promise<PdfEngine> {
  engine ??= import('pdfjs-dist').then((library) => {
    library.GlobalWorkerOptions.workerSrc = workerAddress;
    return { library, worker: new library.PDFWorker() };
  });
  engine.catch(() => {
    engine = undefined;
  });
  return engine;
}

/** Files that `scripts/build.js` copies from the library: character maps, standard fonts and image decoders. */
const DATA = '/assets/pdf/';
const RANGE_BYTES = 1_048_576;
/** Up to this size, one request for the whole file is faster than several range requests. */
const MAX_WHOLE_BYTES = 8_000_000;

export interface OpenPdfOptions {
  readonly bytes: number;
  readonly signal: AbortSignal;
  /** Called with the loaded share of a file that is loaded as a whole, up to 1. */
  onProgress(share: number): void;
}

/** Opens a PDF by URL. For large files, only the ranges needed for the visible pages are loaded. */
export async function openPdf(address: string, { bytes, signal, onProgress }: OpenPdfOptions): Promise<OpenPdf> {
  const { library, worker } = await startPdf();
  signal.throwIfAborted();
  const task = library.getDocument({
    url: address,
    worker,
    withCredentials: true,
    disableRange: bytes <= MAX_WHOLE_BYTES,
    disableAutoFetch: true,
    disableStream: bytes > MAX_WHOLE_BYTES,
    rangeChunkSize: RANGE_BYTES,
    cMapUrl: DATA,
    standardFontDataUrl: DATA,
    wasmUrl: DATA,
    // The content security policy of the page forbids WebAssembly; the decoders have a version in plain JavaScript.
    useWasm: false,
  });
  task.onProgress = ({ loaded }: { readonly loaded: number }) => {
    if (bytes <= MAX_WHOLE_BYTES) onProgress(Math.min(1, loaded / Math.max(1, bytes)));
  };
  const abort = () => void task.destroy();
  signal.addEventListener('abort', abort, { once: true });
  const pdf: PDFDocumentProxy = await task.promise;
  const texts = new Map<number, Promise<PdfPageText>>();
  const textOf = (number: number) => {
    const text = texts.get(number) ?? readText(pdf, number);
    texts.set(number, text);
    return text;
  };
  return {
    library,
    pageCount: pdf.numPages,
    page: (number) => pdf.getPage(number),
    textOf,
    glyphsOf: async (number) => readGlyphs(library, await pdf.getPage(number), await textOf(number)),
    close: abort,
  };
}

const ANNOTATION_STYLE = { fontFamily: 'sans-serif', ascent: 0.8, descent: -0.2, vertical: false };

async function readText(pdf: PDFDocumentProxy, number: number): Promise<PdfPageText> {
  const page = await pdf.getPage(number);
  const { items: texts, styles, lang } = await page.getTextContent();
  const annotations: PdfAnnotation[] = await page.getAnnotations().catch(() => []);
  const added = annotationItems(annotations, texts);
  const items = [...texts, ...added];
  const first = texts.filter((item) => 'str' in item).length;
  return {
    content: { items, styles: { ...styles, [ANNOTATION_FONT]: ANNOTATION_STYLE }, lang },
    items: pageItems(items),
    boxes: new Map(added.map(({ rect }, index) => [first + index, rect])),
  };
}

async function readGlyphs(
  { AnnotationMode, OPS }: PdfLibrary,
  page: PDFPageProxy,
  { content }: PdfPageText,
): Promise<PdfPageGlyphs> {
  const operators = await page.getOperatorList({ annotationMode: AnnotationMode.DISABLE });
  const fontOf = (name: string): GlyphFont | undefined =>
    page.commonObjs.has(name) ? page.commonObjs.get(name) : undefined;
  const { transform, width, height } = page.getViewport({ scale: 1 });
  const glyphs = placeGlyphs({ operators, codes: OPS, fontOf, view: transform });
  // The glyphs of annotations are not among the operators.
  const texts = content.items.flatMap((item) => ('str' in item && item.fontName !== ANNOTATION_FONT ? [item.str] : []));
  return { glyphs, links: linkGlyphs(texts, glyphs), width, height };
}
