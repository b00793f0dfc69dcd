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
/** A tag and the text after it. No part can match the beginning of another tag, so the time is linear in the text. */
const TAG = /<(url|sitemap|loc)(?=[\s>])[^<>]*>\s*(?:<!\[CDATA\[)?([^<]*)/gi;

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
  let list: string[] | undefined;
  for (const [, tag = '', after = ''] of text.matchAll(TAG)) {
    const name = tag.toLowerCase();
    if (name !== 'loc') list = name === 'url' ? pages : sitemaps;
    else if (list !== undefined && list.length < MAX_ENTRIES) {
      const [written = ''] = after.split(']]>', 1);
      const address = URL.parse(written.trim().replaceAll('&amp;', '&'), url)?.href;
      if (address !== undefined && written.trim() !== '') list.push(address);
      // The first location counts.
      list = undefined;
    }
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
