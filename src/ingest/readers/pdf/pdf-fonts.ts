import type { getDocumentProxy } from 'unpdf';

type Page = Awaited<ReturnType<Awaited<ReturnType<typeof getDocumentProxy>>['getPage']>>;

/** Font names of a document, from which bold type is detected. */
export interface FontNames {
  /** Loads the names of a page's fonts that are not known yet. */
  learn(page: Page, names: ReadonlySet<string>): Promise<void>;
  isBold(name: string): boolean;
}

/** The parser loads complete fonts only when it renders a page, which takes as long as ten pages of text. */
const MAX_PAGES_DRAWN = 40;

export function createFontNames(): FontNames {
  const bold = new Map<string, boolean>();
  let drawn = 0;
  return {
    async learn(page, names) {
      const unknown = [...names].filter((name) => !bold.has(name));
      if (unknown.length === 0) return;
      if (drawn < MAX_PAGES_DRAWN && unknown.some((name) => !page.commonObjs.has(name))) {
        drawn++;
        // A page that cannot be rendered may still have text.
        await page.getOperatorList().catch(() => undefined);
      }
      for (const name of unknown) {
        const font: unknown = page.commonObjs.has(name) ? page.commonObjs.get(name) : undefined;
        if (font !== undefined || drawn >= MAX_PAGES_DRAWN) bold.set(name, isBoldName(nameOf(font)));
      }
    },
    isBold: (name) => bold.get(name) ?? false,
  };
}

interface Sized {
  readonly str: string;
  readonly width: number;
  readonly height: number;
  readonly fontName: string;
}

/** Runs of the same font must not differ by more than this share in the width of a letter. */
const MAX_SPREAD = 0.06;

/**
 * The fonts of a page whose letters all have the same width. Some fonts only claim so, therefore the widths of their
 * runs are compared.
 */
export function monoFonts(
  items: readonly (Sized | { readonly type: string })[],
  styles: Readonly<Record<string, { readonly fontFamily: string }>>,
): ReadonlySet<string> {
  const widths = new Map<string, { least: number; most: number }>();
  for (const item of items) {
    if (!('str' in item) || item.str.length < 4 || item.height === 0) continue;
    if (styles[item.fontName]?.fontFamily !== 'monospace') continue;
    const width = item.width / item.str.length / item.height;
    const known = widths.get(item.fontName);
    if (known === undefined) widths.set(item.fontName, { least: width, most: width });
    else {
      known.least = Math.min(known.least, width);
      known.most = Math.max(known.most, width);
    }
  }
  return new Set([...widths].flatMap(([name, { least, most }]) => (most - least <= MAX_SPREAD * most ? [name] : [])));
}

const nameOf = (font: unknown): string =>
  typeof font === 'object' && font !== null && 'name' in font && typeof font.name === 'string' ? font.name : '';

const isBoldName = (name: string): boolean => /bold|black|heavy|(?:^|[-,_])bd\b/i.test(name);
