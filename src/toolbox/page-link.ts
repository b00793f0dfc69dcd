/** Address of the page that shows a document or chunk, by its short identifier; the server redirects it. */
export const shortLink = (origin: string, shortId: string): string => `${origin}/d/${shortId}`;

/** The short link as the end of a line; empty when no server with the page is known. */
export const linkSuffix = (origin: string | undefined, shortId: string): string =>
  origin === undefined ? '' : ` · ${shortLink(origin, shortId)}`;
