/** The members that are read of an annotation of PDF.js; which it has depends on its kind. */
export interface PdfAnnotation {
  readonly subtype?: string;
  readonly rect?: readonly number[];
  readonly annotationFlags?: number;
  readonly hidden?: boolean;
  /** `Tx` text, `Ch` choice, `Btn` button. */
  readonly fieldType?: string;
  readonly fieldValue?: unknown;
  readonly options?: readonly { readonly exportValue: unknown; readonly displayValue: unknown }[];
  readonly password?: boolean;
  readonly multiLine?: boolean;
  readonly checkBox?: boolean;
  readonly radioButton?: boolean;
  /** The value of a check box, and of one button of a group, when it is on. */
  readonly exportValue?: unknown;
  readonly buttonValue?: unknown;
  readonly contentsObj?: { readonly str?: string };
  /** The author of a comment. */
  readonly titleObj?: { readonly str?: string };
  readonly defaultAppearanceData?: { readonly fontSize?: number };
}

/** An item that stands among those of the page's text. */
export interface AnnotationItem {
  readonly str: string;
  readonly dir: 'ltr';
  readonly width: number;
  readonly height: number;
  readonly transform: number[];
  readonly fontName: string;
  readonly hasEOL: true;
  /** The box of the annotation on the page; the item itself is only near the text that is drawn in it. */
  readonly rect: readonly number[];
}

/** The font name of all these items. PDF.js generates its own names, none of which looks like this. */
export const ANNOTATION_FONT = 'annotation';

const HIDDEN = 2;
const NOT_SHOWN = 32;
const CHECKED = '☒';
const DEFAULT_SIZE = 10;
/** Distance of the text from the border of its field, in points. */
const PADDING = 2;
/** Of the font size: a usual width of a letter, the distance of lines, and half the height of capital letters. */
const LETTER_WIDTH = 0.5;
const LINE_HEIGHT = 1.2;
const HALF_CAPITAL = 0.35;
/** Limits per field and per page, against files made to cost time. */
const MAX_CHARACTERS = 20_000;
const MAX_ANNOTATIONS = 2_000;

/**
 * The text of filled form fields, checked boxes and text written onto the page, which PDF.js does not count to the text
 * of a page although it is printed. A value is put on the baseline of its label, so that both are one row.
 */
export function annotationItems(
  annotations: readonly PdfAnnotation[],
  items: readonly ({ readonly str: string; readonly transform: readonly number[] } | { readonly type: string })[],
): AnnotationItem[] {
  const baselines = items.flatMap((item) =>
    'str' in item && item.str.trim() !== '' ? [{ x: item.transform[4] ?? 0, y: item.transform[5] ?? 0 }] : [],
  );
  return annotations.slice(0, MAX_ANNOTATIONS).flatMap((annotation) => {
    const lines = linesOf(annotation);
    if (lines.length === 0) return [];
    const { rect = [] } = annotation;
    const [x1 = 0, y1 = 0, x2 = 0, y2 = 0] = rect;
    const height = Math.abs(y2 - y1);
    const left = Math.min(x1, x2);
    const size = Math.min(annotation.defaultAppearanceData?.fontSize || DEFAULT_SIZE, height || DEFAULT_SIZE);
    const middle = (y1 + y2) / 2 - HALF_CAPITAL * size;
    // Of the texts left of the field, the label is the nearest.
    const label = baselines
      .filter(({ x, y }) => x < left && y > Math.min(y1, y2) && y < Math.max(y1, y2))
      .toSorted((a, b) => b.x - a.x)[0];
    const top = Math.max(y1, y2) - size - PADDING;
    const isOneLine = annotation.subtype === 'Widget' && annotation.multiLine !== true;
    const isAtLabel = lines.length === 1 && (isOneLine || height < 2 * LINE_HEIGHT * size);
    const first = isAtLabel ? (label?.y ?? middle) : top;
    return lines.map((str, index) => ({
      str,
      dir: 'ltr',
      width: Math.min(Math.abs(x2 - x1) - PADDING, str.length * LETTER_WIDTH * size),
      height: size,
      transform: [size, 0, 0, size, left + PADDING, first - index * LINE_HEIGHT * size],
      fontName: ANNOTATION_FONT,
      hasEOL: true,
      rect,
    }));
  });
}

function linesOf(annotation: PdfAnnotation): string[] {
  const { hidden, annotationFlags = 0 } = annotation;
  if (hidden === true || (annotationFlags & (HIDDEN | NOT_SHOWN)) !== 0) return [];
  return textOf(annotation)
    .slice(0, MAX_CHARACTERS)
    .split(/\r\n|\r|\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

function textOf(annotation: PdfAnnotation): string {
  const { subtype, fieldType, fieldValue, contentsObj } = annotation;
  if (subtype === 'FreeText') return contentsObj?.str ?? '';
  if (subtype !== 'Widget' || annotation.password === true) return '';
  switch (fieldType) {
    case 'Tx':
      return typeof fieldValue === 'string' ? fieldValue : '';
    case 'Ch':
      return [fieldValue]
        .flat()
        .flatMap((value) => choiceOf(value, annotation))
        .join(', ');
    case 'Btn':
      return isChecked(annotation) ? CHECKED : '';
    default:
      return '';
  }
}

function choiceOf(value: unknown, { options = [] }: PdfAnnotation): string[] {
  const shown = options.find(({ exportValue }) => exportValue === value)?.displayValue ?? value;
  return typeof shown === 'string' ? [shown] : [];
}

function isChecked({ checkBox, radioButton, fieldValue, exportValue, buttonValue }: PdfAnnotation): boolean {
  if (typeof fieldValue !== 'string' || fieldValue === 'Off' || fieldValue === '') return false;
  if (checkBox === true) return fieldValue === exportValue;
  return radioButton === true && fieldValue === buttonValue;
}
