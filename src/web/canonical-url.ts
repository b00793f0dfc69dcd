/** Parameters that say where a reader came from and nothing of what is read. */
const TRACKING =
  /^(?:utm_\w+|fbclid|gclid|dclid|gbraid|wbraid|msclkid|yclid|igshid|mc_cid|mc_eid|mkt_tok|_hsenc|_hsmi|ref_src|srsltid|spm|cmpid|vero_id|oly_\w+_id)$/i;

/** One form for all addresses of a page, to tell that they are one; not for fetching. The address itself when it is none. */
export function canonicalUrl(address: string): string {
  const url = URL.parse(address);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) return address;
  const kept = [...url.searchParams]
    .filter(([name]) => !TRACKING.test(name))
    .toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  const host = url.host.replace(/^www\./, '').replace(/\.(?=:|$)/, '');
  const path = url.pathname.replace(/\/(?:index\.(?:html?|php))?$/i, '') || '/';
  const query = kept.length === 0 ? '' : `?${new URLSearchParams(kept)}`;
  return `https://${host}${path}${query}`;
}

/** Whether the address is of this host or one below it. */
export function isOfDomain(address: string, domain: string): boolean {
  const host = URL.parse(address)?.hostname.toLowerCase() ?? '';
  const wanted = domain.toLowerCase();
  return host === wanted || host.endsWith(`.${wanted}`);
}
