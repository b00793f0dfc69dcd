import { shownName } from '../../parts/shown-name.ts';

/** The folder of a file or the address of a page, from the source of a document; undefined for an upload. */
export function placeOf(source: string | null): string | undefined {
  const url = source === null ? null : URL.parse(source);
  if (url === null) return undefined;
  if (url.protocol === 'http:' || url.protocol === 'https:') return shownName(`${url.host}${decoded(url.pathname)}`);
  if (url.protocol !== 'file:') return undefined;
  const folder = url.pathname.slice(0, url.pathname.lastIndexOf('/'));
  // A drive of Windows: "/C:/papers".
  return shownName(decoded(folder).replace(/^\/(?=[A-Za-z]:)/, '')) || '/';
}

const MAX_PARTS = 3;

/** The last parts of a place, which distinguish most documents. */
export function shortPlace(place: string): string {
  const parts = place.split('/');
  return parts.length <= MAX_PARTS + 1 ? place : `…/${parts.slice(-MAX_PARTS).join('/')}`;
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
