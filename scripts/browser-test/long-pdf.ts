import { pdfFile } from '../../test/support/pdf-file.ts';

/** A PDF with this many pages; each has a unique sentence among common ones. */
export function longPdf(pageCount: number): Uint8Array {
  const objects: string[] = [];
  const add = (body: string): number => objects.push(body);
  add('<< /Type /Catalog /Pages 2 0 R >>');
  // Placeholder: the list of pages is filled in once they exist.
  add('');
  add('<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>');
  const pages: number[] = [];
  for (let number = 1; number <= pageCount; number++) {
    const drawing = linesOf(number)
      .map((line, index) => `BT /F1 11 Tf 72 ${740 - index * 16} Td (${line}) Tj ET`)
      .join('\n');
    const content = add(`<< /Length ${drawing.length} >>\nstream\n${drawing}\nendstream`);
    pages.push(
      add(
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents ${content} 0 R ` +
          '/Resources << /Font << /F1 3 0 R >> >> >>',
      ),
    );
  }
  objects[1] = `<< /Type /Pages /Count ${pageCount} /Kids [${pages.map((page) => `${page} 0 R`).join(' ')}] >>`;
  return pdfFile(objects);
}

const WORDS = ['harbour', 'ferry', 'island', 'winter', 'timetable', 'captain', 'kiosk', 'weather'];

function linesOf(page: number): string[] {
  const filler = Array.from({ length: 30 }, (_, line) => {
    const words = Array.from({ length: 8 }, (_, index) => WORDS[(page * 7 + line * 3 + index) % WORDS.length]);
    return `Line ${line + 1}: ${words.join(' ')}.`;
  });
  return [...filler.slice(0, 12), `The secret of page ${page} is kept by its ${WORDS[page % 8]}.`, ...filler.slice(12)];
}
