import { pageLabel } from '../../../documents/page-label.ts';

export const source = {
  title: 'Source',
  tabs: 'Show',
  tab: { original: 'Original', text: 'Text', passages: 'Passages', versions: 'Versions', details: 'Details' },
  version: 'Version',
  newest: (label: string) => `${label} (newest)`,
  older: (label: string, newest: string) => `This is an older version (${label}). The newest is ${newest}.`,
  showNewest: 'Show the newest',
  download: 'Download',
  size: (bytes: number) => {
    if (bytes < 1_000) return `${bytes} B`;
    return bytes < 999_500 ? `${Math.round(bytes / 1_000)} KB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
  },
  characters: (count: number) => `${count.toLocaleString('en')} characters`,
  page: (documentType: string | undefined, number: number) =>
    pageLabel(documentType, number).replace(/^./, (first) => first.toUpperCase()),
  pageOf: (number: number, total: number) => `Page ${number} of ${total}`,
  quote: (number: number, total: number) => (total === 1 ? 'The quote' : `Quote ${number} of ${total}`),
  previousQuote: 'Previous quote',
  nextQuote: 'Next quote',
  quoteMarked: (number: number, total: number, place: string) =>
    `${total === 1 ? 'The quote' : `Quote ${number} of ${total}`} is marked${place === '' ? '' : `, ${place}`}.`,
  outside: (start: number, end: number, length: number) =>
    `The quote is at characters ${start} to ${end}, but the text has only ${length}. Nothing is marked.`,
  notThere:
    'The quoted text is not at these offsets in this version. Nothing is marked. Another version may contain it.',
  noText: (status: string) => `No text has been read from this document yet (its state is “${status}”).`,
  failed: (reason: string) => `This document could not be read: ${reason}`,
  empty: 'This document has no text.',
  earlier: 'Show earlier text',
  later: 'Show later text',
  kept: 'The quoted words, as the answer keeps them:',
  gone: 'This document does not exist or was deleted, or you have no access to it.',
  badAddress: 'This address does not name a document.',
  pageFailed: 'This page could not be rendered.',
  outline: 'Outline',
  charactersFrom: (start: number, end: number) =>
    `Characters ${start.toLocaleString('en')} to ${end.toLocaleString('en')}`,
  moreChunks: (shown: number, total: number) =>
    `Show more passages (${shown.toLocaleString('en')} of ${total.toLocaleString('en')})`,
  oneVersion: 'There is only one version of this document.',
  before: 'Before',
  after: 'After',
  added: 'Added',
  removed: 'Removed',
  differences: (count: number, unchanged: number, moved: number) =>
    [
      count === 1 ? '1 passage differs' : `${count} passages differ`,
      `${unchanged} ${unchanged === 1 ? 'is' : 'are'} the same`,
      moved === 0 ? '' : `${moved} moved to another heading`,
    ]
      .filter((part) => part !== '')
      .join(', ')
      .concat('.'),
  details: {
    id: 'Identifier',
    file: 'File',
    type: 'Type',
    source: 'Source',
    version: 'Version',
    published: 'Published',
    created: 'Created',
    updated: 'Changed',
    chunks: 'Passages',
    hash: 'SHA-256',
    summary: 'Summary',
    metadata: 'Metadata',
  },
  markedOnPage: (page: number) => `The quote is marked on page ${page}.`,
  notLocated: 'The quote could not be found with certainty in the original. It is shown in the text instead.',
  ambiguous:
    'The original contains these words several times, so nothing is marked there. They are shown in the text instead.',
  opening: (percent: number) => `Loading the file… ${percent} %`,
  meanwhile: 'Until the file is here, this is its text around the quote:',
  unlocated: 'The quote could not be found with certainty in the original, so nothing is marked here.',
};
