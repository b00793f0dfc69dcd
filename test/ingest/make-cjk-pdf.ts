import { pdfFile } from '../support/pdf-file.ts';

/** A text in one of the predefined character maps, as bytes in hexadecimal. */
export interface CjkText {
  readonly encoding: string;
  readonly ordering: 'Japan1' | 'GB1' | 'CNS1' | 'Korea1';
  readonly hex: string;
}

/** A PDF with a line for each text, in fonts that are not embedded and have no Unicode table. */
export function makeCjkPdf(texts: readonly CjkText[]): Uint8Array {
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << ${texts
      .map((_, index) => `/F${index} ${5 + index * 3} 0 R`)
      .join(' ')} >> >> >>`,
  ];
  const content = texts
    .map(({ hex }, index) => `BT /F${index} 12 Tf 72 ${760 - index * 60} Td <${hex}> Tj ET`)
    .join('\n');
  objects.push(`<< /Length ${content.length} >>\nstream\n${content}\nendstream`);
  for (const [index, { encoding, ordering }] of texts.entries()) {
    const [descendant, descriptor] = [6 + index * 3, 7 + index * 3];
    objects.push(
      `<< /Type /Font /Subtype /Type0 /BaseFont /Cjk${index}-${encoding} /Encoding /${encoding} /DescendantFonts [${descendant} 0 R] >>`,
      `<< /Type /Font /Subtype /CIDFontType0 /BaseFont /Cjk${index} /CIDSystemInfo << /Registry (Adobe) /Ordering (${ordering}) /Supplement 2 >> /FontDescriptor ${descriptor} 0 R >>`,
      `<< /Type /FontDescriptor /FontName /Cjk${index} /Flags 4 /FontBBox [0 -120 1000 880] /ItalicAngle 0 /Ascent 880 /Descent -120 /CapHeight 700 /StemV 80 >>`,
    );
  }
  return pdfFile(objects);
}
