import { sourceAddress } from '../../src/citations/source-address.ts';

/** URL of a document: its web source, its page or its resource. Never empty: ChatGPT cites no result without a URL. */
export function addressOf(id: string, source: string | null, pageOrigin: string | undefined): string {
  if (source !== null && /^https?:/.test(source)) return source;
  return pageOrigin === undefined ? `kb://documents/${id}` : `${pageOrigin}${sourceAddress(id)}`;
}
