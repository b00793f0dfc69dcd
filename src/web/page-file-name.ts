import { basename } from 'node:path';

const HTML = new Set(['text/html', 'application/xhtml+xml']);

/**
 * A name for what was fetched: the last part of the path, or the host when there is none. A page made by a program
 * (`index.php`) is named as the page it is, and no host passes for a file with an extension.
 */
export function pageFileName(url: URL, mediaType: string | undefined): string {
  const name = lastPart(url) || url.hostname;
  const isHtml = mediaType !== undefined && HTML.has(mediaType);
  if (isHtml) return /\.x?html?$/i.test(name) ? name : `${name}.html`;
  return name === url.hostname ? name.replaceAll('.', '-') : name;
}

function lastPart(url: URL): string {
  const last = basename(url.pathname);
  try {
    return decodeURIComponent(last).replaceAll(/[/\\\0]/g, '_');
  } catch {
    return last;
  }
}
