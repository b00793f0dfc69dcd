import { lazyWith } from './lazy-with.tsx';
import type { QuoteFacts } from './quote-facts.ts';
import type { DocumentRecord } from './source-data.ts';

/** Result of locating the quote in the original. */
export type Marked = 'found' | 'not_found' | 'ambiguous';

export interface OriginalProps {
  /** URL of the file. */
  readonly address: string;
  readonly document: DocumentRecord;
  readonly facts: QuoteFacts | undefined;
  readonly onMarked: (marked: Marked) => void;
}

type Kind = 'pdf' | 'html' | 'image';

/** How the original of a document can be shown; undefined if only its text can. */
export function originalKind({ media_type: type }: Pick<DocumentRecord, 'media_type'>): Kind | undefined {
  const [plain = ''] = type.toLowerCase().split(';');
  if (plain.trim() === 'application/pdf') return 'pdf';
  if (/^(text\/html|application\/xhtml\+xml)$/.test(plain.trim())) return 'html';
  return /^image\/(png|jpeg|gif|webp|bmp|avif)$/.test(plain.trim()) ? 'image' : undefined;
}

const PdfTab = lazyWith(async () => (await import('./pdf/pdf-tab.tsx')).PdfTab);
const HtmlTab = lazyWith(async () => (await import('./html/html-tab.tsx')).HtmlTab);

/** Preloads the PDF viewer while the text is read. */
export async function prepareOriginal(document: DocumentRecord): Promise<void> {
  if (originalKind(document) !== 'pdf') return;
  await import('./pdf/pdf-tab.tsx');
  await (await import('./pdf/open-pdf.ts')).startPdf();
}

/** The original file of the document. */
export function OriginalTab(props: OriginalProps) {
  switch (originalKind(props.document)) {
    case 'pdf':
      return <PdfTab {...props} />;
    case 'html':
      return <HtmlTab {...props} />;
    case 'image':
      return <img class="source-image" src={props.address} alt={props.document.title} />;
    case undefined:
      return null;
  }
}
