/** A range of a document's extracted text (UTF-16, end exclusive), with its text if known. */
export interface Quote {
  readonly start: number;
  readonly end: number;
  readonly text?: string | undefined;
}

/** Document, version and quotes from the URL of a source view. */
export interface SourceAddress {
  readonly documentId: string;
  readonly version?: string;
  readonly quotes: readonly Quote[];
}

/** Parses `/d/{id}@{version}?q=start-end`. An invalid `q` is ignored. */
export function readSourceAddress(path: string, query: URLSearchParams): SourceAddress {
  const [documentId = '', version] = decode(path.slice('/d/'.length)).split('@', 2);
  const quotes = query.getAll('q').flatMap((each) => {
    const [, start, end] = /^(\d{1,15})-(\d{1,15})$/.exec(each) ?? [];
    return start === undefined || end === undefined ? [] : [{ start: Number(start), end: Number(end) }];
  });
  return { documentId, quotes, ...(version === undefined || version === '' ? {} : { version }) };
}

/** Whether the range fits into a text of this length. */
export const isWithin = ({ start, end }: Quote, length: number): boolean => start < end && end <= length;

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
