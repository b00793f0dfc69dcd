/** Document types whose pages are slides. */
const PRESENTATIONS: ReadonlySet<string | undefined> = new Set(['pptx', 'odp', 'ppt']);

/** What a document of this type is divided into, where it has numbered parts. */
export const pageNoun = (documentType: string | undefined): 'page' | 'slide' =>
  PRESENTATIONS.has(documentType) ? 'slide' : 'page';

/** `page 3`, `pages 3-5`, or in presentations `slide 3`: how every interface names a page to a reader. */
export function pageLabel(documentType: string | undefined, first: number, last: number = first): string {
  const noun = pageNoun(documentType);
  return first === last ? `${noun} ${first}` : `${noun}s ${first}-${last}`;
}
