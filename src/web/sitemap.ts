import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { ServiceError } from '../errors.ts';

export interface Sitemap {
  readonly pages: readonly string[];
  /** Sitemaps listed in a sitemap index. */
  readonly sitemaps: readonly string[];
}

const MAX_BYTES = 60_000_000;
const MAX_ENTRIES = 50_000;
const ENTRY = /<(url|sitemap)\b[^>]*>[\s\S]*?<loc>\s*(?:<!\[CDATA\[)?\s*([^<\]]+?)\s*(?:\]\]>)?\s*<\/loc>/gi;

/** Parses a sitemap: XML, optionally gzipped, or a plain list of URLs. Throws `invalid_request` for anything else. */
export async function readSitemap(bytes: Uint8Array, url: string): Promise<Sitemap> {
  const text = new TextDecoder().decode(await unpacked(bytes, url));
  if (!/<(?:urlset|sitemapindex)\b/i.test(text.slice(0, 5_000))) {
    const lines = text
      .split(/\r?\n/)
      .map((line) => line.trim())
      .filter((line) => line !== '');
    if (lines.length === 0 || !lines.every((line) => /^https?:\/\/\S+$/.test(line))) {
      throw new ServiceError('invalid_request', `${url} is not a sitemap.`);
    }
    return { pages: lines.slice(0, MAX_ENTRIES), sitemaps: [] };
  }
  const pages: string[] = [];
  const sitemaps: string[] = [];
  for (const [, kind = '', location = ''] of text.matchAll(ENTRY)) {
    const address = URL.parse(location.replaceAll('&amp;', '&'), url)?.href;
    if (address === undefined || pages.length >= MAX_ENTRIES) continue;
    (kind.toLowerCase() === 'url' ? pages : sitemaps).push(address);
  }
  return { pages, sitemaps };
}

async function unpacked(bytes: Uint8Array, url: string): Promise<Uint8Array> {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  try {
    return await promisify(gunzip)(bytes, { maxOutputLength: MAX_BYTES });
  } catch (error) {
    throw new ServiceError('invalid_request', `The sitemap ${url} cannot be unpacked.`, { cause: error });
  }
}
