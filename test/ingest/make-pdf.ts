import { pdfFile } from '../support/pdf-file.ts';

/** A positioned run of Helvetica on an A4 page; origin at the lower left. */
export interface PdfText {
  readonly text: string;
  readonly x: number;
  readonly y: number;
  readonly size?: number;
  readonly isBold?: boolean;
  /** Courier instead of Helvetica. */
  readonly isMono?: boolean;
}

/** A PDF of pages with positioned text, small and uncompressed. */
export function makePdf(
  pages: readonly (readonly PdfText[])[],
  options: {
    readonly pageCount?: number;
    /** Degrees by which the content of the pages is rotated, without a rotation entry. */
    readonly turn?: number;
    /** Dictionaries of annotations and form fields, of the first page. */
    readonly annotations?: readonly string[];
  } = {},
): Uint8Array {
  const objects: string[] = [];
  const add = (body: string): number => objects.push(body);
  const first = 6;
  const kids = pages.map((_, index) => `${first + index * 2} 0 R`);
  add('<< /Type /Catalog /Pages 2 0 R >>');
  add(`<< /Type /Pages /Kids [${kids.join(' ')}] /Count ${options.pageCount ?? pages.length} >>`);
  add('<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>');
  add('<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold /Encoding /WinAnsiEncoding >>');
  add('<< /Type /Font /Subtype /Type1 /BaseFont /Courier /Encoding /WinAnsiEncoding >>');
  const angle = ((options.turn ?? 0) * Math.PI) / 180;
  const cos = Math.round(Math.cos(angle));
  const sin = Math.round(Math.sin(angle));
  // Rotated about the corner, the content would leave the page.
  const left = cos - sin < 0 ? 900 : 0;
  const bottom = cos + sin < 0 ? 900 : 0;
  for (const page of pages) {
    const number = objects.length + 1;
    add(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${options.turn === undefined ? '595 842' : '900 900'}] /Resources << /Font << /F1 3 0 R /F2 4 0 R /F3 5 0 R >> >> /Contents ${number + 1} 0 R${page === pages[0] && options.annotations ? ` /Annots [${options.annotations.join(' ')}]` : ''} >>`,
    );
    const content = page
      .map(
        ({ text, x, y, size = 11, isBold = false, isMono = false }) =>
          `BT /F${isMono ? 3 : isBold ? 2 : 1} ${size} Tf ${cos} ${sin} ${-sin} ${cos} ${x * cos - y * sin + left} ${x * sin + y * cos + bottom} Tm (${text.replace(/[\\()]/g, '\\$&')}) Tj ET`,
      )
      .join('\n');
    add(`<< /Length ${content.length} >>\nstream\n${content}\nendstream`);
  }
  return pdfFile(objects);
}

/** Lines of running text, one below the other. */
export const linesAt = (x: number, top: number, lines: readonly string[], size = 11): PdfText[] =>
  lines.map((text, index) => ({ text, x, y: top - index * size * 1.25, size }));
