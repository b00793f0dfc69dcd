import { existsSync } from 'node:fs';
import { getDocumentProxy, getMeta } from 'unpdf';
import type { Metadata } from '../../../documents/document.ts';
import { ServiceError } from '../../../errors.ts';
import { annotationItems, type PdfAnnotation } from '../../../pdf-layout/annotation-items.ts';
import { joinLines, type PlacedText } from '../../../pdf-layout/pdf-lines.ts';
import { orderRows, type Row } from '../../../pdf-layout/pdf-order.ts';
import { placeRuns } from '../../../pdf-layout/place-runs.ts';
import { pageFolder } from '../../../shared/page-folder.ts';
import { createTextBuilder, type TextBuilder } from '../build-text.ts';
import { cleanText } from '../encoding/clean-text.ts';
import { IMAGE_PROMPT } from '../image/image-reader.ts';
import { markdownBlocks } from '../markdown/markdown.ts';
import type { Reader } from '../reader.ts';
import { COMMENTED_TYPES, commentsOf } from './pdf-comments.ts';
import { createFontNames, type FontNames, monoFonts } from './pdf-fonts.ts';
import { buildBlocks, readTypography } from './pdf-paragraphs.ts';
import { dropRunningHeaders } from './pdf-running-lines.ts';
import { readScan } from './pdf-scans.ts';

const MAX_PAGES = 5_000;
/** PDF.js decodes these with WebAssembly modules that unpdf leaves out. */
const UNDECODED =
  ' Its pictures are compressed for fax, or as JBIG2 or JPEG 2000, which is not read here: save it with JPEG pictures, or with a text layer.';

/** Enough to recognise a web page. */
const HEAD_BYTES = 200;

type Pdf = Awaited<ReturnType<typeof getDocumentProxy>>;

/** PDF page by page: paragraphs reconstructed from letter positions, running headers and footers left out. */
export const pdfReader: Reader = {
  async read(input) {
    const { bytes, fileName, signal } = input;
    const pdf = await open(bytes, fileName);
    try {
      if (pdf.numPages > MAX_PAGES) {
        throw new ServiceError(
          'too_large',
          `${fileName} has ${pdf.numPages} pages; at most ${MAX_PAGES} are read. Split it first.`,
        );
      }
      const placed = await readPages(pdf, fileName, signal);
      const pages = dropRunningHeaders(placed.map(({ rows }) => rows));
      const builder = createTextBuilder();
      const typography = readTypography(pages);
      let hasUndecoded = false;
      for (const [index, rows] of pages.entries()) {
        builder.startPage(index + 1);
        for (const { kind, text, level } of buildBlocks(rows, typography)) {
          builder.add(kind, tidy(text), level === undefined ? undefined : { level });
        }
        if (placed[index]?.hasText !== true) {
          const scan = await readScan(pdf, index + 1, input);
          addScan(builder, scan.text);
          hasUndecoded ||= scan.hasUndecoded;
        }
        for (const comment of placed[index]?.comments ?? []) builder.add('paragraph', tidy(comment));
      }
      const content = builder.finish();
      if (content.text === '') {
        throw new ServiceError(
          'invalid_request',
          `${fileName}: no text found on its ${pdf.numPages} page(s). It is probably scanned.${
            input.readImage === undefined ? ` ${IMAGE_PROMPT}.` : hasUndecoded ? UNDECODED : ''
          }`,
          { unread: input.readImage === undefined ? 'picture' : undefined },
        );
      }
      const { title, ...metadata } = await readInfo(pdf);
      return {
        ...content,
        ...(title === undefined ? {} : { title }),
        metadata: { ...metadata, page_count: pdf.numPages },
      };
    } finally {
      // In later versions of PDF.js the document has no `destroy`; the loading task has one in all versions.
      await pdf.loadingTask.destroy();
    }
  },
};

/** The text of an image is Markdown. */
function addScan(builder: TextBuilder, text: string): void {
  for (const { kind, start, end, level, label } of markdownBlocks(text)) {
    const words = label ?? text.slice(start, end);
    builder.add(kind, words, level === undefined ? undefined : { level });
  }
}

async function open(bytes: Uint8Array, fileName: string): Promise<Pdf> {
  try {
    // The parser takes ownership of the buffer, so it gets a copy; verbosity 0 keeps warnings about damaged files off
    // the console.
    return await getDocumentProxy(new Uint8Array(bytes), { verbosity: 0, ...libraryData() });
  } catch (error) {
    const { name, message } = error as Error;
    if (name === 'PasswordException') {
      throw new ServiceError(
        'invalid_request',
        `${fileName} is encrypted and needs a password. Save it without one first.`,
        { cause: error },
      );
    }
    const head = Buffer.from(bytes.subarray(0, HEAD_BYTES)).toString('latin1');
    const isWebPage = /^\s*<(?:!doctype html|html)\b/i.test(head);
    const words = isWebPage
      ? `${fileName} is not a PDF but a web page, perhaps the error page of a download. Download it again, or name it .html.`
      : `${fileName} is not a readable PDF: ${message.replace(/\.$/, '')}. It is damaged or was cut off: send the whole file again.`;
    throw new ServiceError('invalid_request', words, { cause: error });
  }
}

/**
 * Character maps and standard fonts, which are shipped with the web page. Without the maps, most East Asian PDFs have
 * no text.
 */
function libraryData() {
  const folder = `${pageFolder()}/assets/pdf/`;
  return existsSync(folder) ? { cMapUrl: folder, standardFontDataUrl: folder } : {};
}

interface PlacedPage {
  readonly rows: readonly Row[];
  /** False if the page itself has no text, as a scan, on which form fields may still be filled in. */
  readonly hasText: boolean;
  readonly comments: readonly string[];
}

/** A damaged page is left empty, so that the others can still be read; a document of only such pages is rejected. */
async function readPages(pdf: Pdf, fileName: string, signal: AbortSignal): Promise<PlacedPage[]> {
  const pages: PlacedPage[] = [];
  const fonts = createFontNames();
  const printed = Map.groupBy(await readAnnotations(pdf), ({ pageIndex }) => pageIndex);
  let failure: unknown;
  for (let number = 1; number <= pdf.numPages; number++) {
    signal.throwIfAborted();
    try {
      const annotations = printed.get(number - 1) ?? [];
      const { runs, hasText } = await readRuns(pdf, number, { fonts, annotations });
      pages.push({ rows: orderRows(joinLines(runs)), hasText, comments: commentsOf(annotations) });
    } catch (error) {
      failure = error;
      pages.push({ rows: [], hasText: false, comments: [] });
    }
  }
  if (failure !== undefined && pages.every(({ rows }) => rows.length === 0)) {
    throw new ServiceError('invalid_request', `${fileName} is damaged: none of its pages can be read.`, {
      cause: failure,
    });
  }
  return pages;
}

/**
 * The annotations that have text, of all pages. Far faster than asking for those of each page, which are mostly links.
 * Damaged ones must not cost the text of the pages.
 */
async function readAnnotations(pdf: Pdf): Promise<readonly (PdfAnnotation & { readonly pageIndex?: number })[]> {
  const [freeText, widget] = [3, 20];
  return pdf.getAnnotationsByType(new Set([freeText, widget, ...COMMENTED_TYPES]), new Set()).catch(() => []);
}

async function readRuns(
  pdf: Pdf,
  number: number,
  { fonts, annotations }: { readonly fonts: FontNames; readonly annotations: readonly PdfAnnotation[] },
): Promise<{ readonly runs: readonly PlacedText[]; readonly hasText: boolean }> {
  const page = await pdf.getPage(number);
  const { items: texts, styles } = await page.getTextContent();
  const items = [...texts, ...annotationItems(annotations, texts)];
  const names = new Set(texts.flatMap((item) => ('str' in item && item.str.trim() !== '' ? [item.fontName] : [])));
  await fonts.learn(page, names);
  page.cleanup();
  const mono = monoFonts(texts, styles);
  const runs = placeRuns(items, {
    isBold: (name) => fonts.isBold(name),
    isMono: (name) => mono.has(name),
  });
  return { runs, hasText: names.size > 0 };
}

const LIGATURES: Readonly<Record<string, string>> = { ﬀ: 'ff', ﬁ: 'fi', ﬂ: 'fl', ﬃ: 'ffi', ﬄ: 'ffl', ﬅ: 'st', ﬆ: 'st' };

const tidy = (text: string): string =>
  cleanText(text)
    .replace(/[ﬀ-ﬆ]/g, (ligature) => LIGATURES[ligature] ?? ligature)
    // Symbol fonts map their bullets to the private use area.
    .replace(/[\uf0a7\uf0b7\uf06e]/g, '•');

async function readInfo(pdf: Pdf): Promise<Metadata & { readonly title?: string }> {
  const { info } = await getMeta(pdf).catch(() => ({ info: {} as Record<string, unknown> }));
  const read = (name: string): string => {
    const value = info[name];
    return typeof value === 'string' ? cleanText(value).trim() : '';
  };
  // Word processors leave their file's name in the title.
  const title = /^(?:untitled|microsoft word\b.*|.*\.(?:docx?|indd|tex|dvi|qxd|pptx?))$/i.test(read('Title'))
    ? ''
    : read('Title');
  const hasWords = /\p{L}{2}/u.test(title);
  const fields = {
    title: hasWords ? title : '',
    author: read('Author'),
    subject: read('Subject'),
    keywords: read('Keywords'),
    language: read('Language'),
    created: isoDate(read('CreationDate')),
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ''));
}

/** PDF dates have the form `D:20240131120000Z`. */
function isoDate(value: string): string {
  const [, year, month, day] = /^D:(\d{4})(\d{2})?(\d{2})?/.exec(value) ?? [];
  return year === undefined ? '' : [year, month, day].filter((part) => part !== undefined).join('-');
}
