import type { SourceLocation } from '../../store/followed-sources.ts';
import type { FolderTarget } from '../folders/folder-target.ts';

/** The URL prefix of a site's pages. */
export function siteFolder({ url, walk }: Extract<SourceLocation, { kind: 'site' }>): string {
  const { origin, pathname } = new URL(url);
  return walk === 'sitemap' ? `${origin}/` : origin + pathname.replace(/[^/]*$/, '');
}

const KNOWN_PER_QUERY = 500;

/** The sources of all documents that begin with the prefix, in ascending order. */
export async function documentsBelow(
  prefix: string,
  target: FolderTarget,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const found: string[] = [];
  for (let after: string | undefined; !signal.aborted; after = found.at(-1)) {
    const page = await target.documentsBelow({ prefix, limit: KNOWN_PER_QUERY, ...(after !== undefined && { after }) });
    found.push(...page.map(({ source }) => source));
    if (page.length < KNOWN_PER_QUERY) break;
  }
  return found;
}
