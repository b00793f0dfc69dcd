import type { PlacedText } from './pdf-lines.ts';
import { quarterTurnsOf, type RotatedText, rotateUpright } from './pdf-rotation.ts';

/** A text item or structure mark of PDF.js. */
export type TextItem =
  | {
      readonly str: string;
      readonly width: number;
      readonly height: number;
      readonly transform: readonly number[];
      readonly fontName: string;
    }
  | { readonly type: string };

interface FontFacts {
  isBold(fontName: string): boolean;
  isMono(fontName: string): boolean;
}

const UNKNOWN: FontFacts = { isBold: () => false, isMono: () => false };

/** Places the text items of a page, upright. */
export function placeRuns(items: readonly TextItem[], fonts: FontFacts = UNKNOWN): PlacedText[] {
  const texts = items.flatMap((item) => ('str' in item ? [item] : []));
  return rotateUpright(
    texts.flatMap(({ str, width, height, transform, fontName }, index): RotatedText[] => {
      if (str === '') return [];
      const [a = 0, b = 0, c = 0, d = 0, x = 0, y = 0] = transform;
      const size = Math.hypot(c, d) || Math.hypot(a, b) || height;
      const [isBold, isMono] = [fonts.isBold(fontName), fonts.isMono(fontName)];
      return [{ index, text: str, x, y, width, size, turn: quarterTurnsOf(a, b), isBold, isMono }];
    }),
  );
}
