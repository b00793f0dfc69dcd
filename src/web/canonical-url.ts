/** Query parameters that only track the origin of a visit. */
const TRACKING =
  /^(?:utm_\w+|fbclid|gclid|dclid|gbraid|wbraid|msclkid|yclid|igshid|mc_cid|mc_eid|mkt_tok|_hsenc|_hsmi|ref_src|srsltid|spm|cmpid|vero_id|oly_\w+_id)$/i;

/** Maps all addresses of a page to one form, for comparison only, not for fetching. Keeps non-HTTP input unchanged. */
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

/** Whether the address belongs to this host or one of its subdomains. */
export function isOfDomain(address: string, domain: string): boolean {
  const host = URL.parse(address)?.hostname ?? '';
  // `URL` writes names in other scripts in ASCII (Punycode), in lower case.
  const wanted = URL.parse(`https://${domain}`)?.hostname ?? domain;
  return host === wanted || host.endsWith(`.${wanted}`);
}
