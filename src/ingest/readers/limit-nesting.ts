/** Deeper than real pages; the parser's time is quadratic in the depth. */
const MAX_DEPTH = 400;

const TAG = /<(\/?)([a-zA-Z][a-zA-Z0-9:-]*)(?![a-zA-Z0-9:-])[^<>]*?(\/?)>/g;
/** Elements that never stay open: void ones, and those closed implicitly by the next of their kind. */
const SELF_CLOSING = new Set(
  'area base br col embed hr img input link meta source track wbr p li dt dd tr td th tbody thead tfoot option optgroup rp rt'.split(
    ' ',
  ),
);

/** Self-closed XHTML elements, which an HTML parser would leave open, so that they swallow everything that follows. */
const EMPTY_IN_XML = /<(script|style|title|iframe|textarea|noscript)(?![a-z0-9:-])([^<>]*)\/>/gi;

/** Removes the tags of elements nested deeper than the limit, keeping their text. Closes self-closed XHTML elements. */
export function limitNesting(text: string): string {
  const html = /^\s*<\?xml\s/i.test(text) ? text.replace(EMPTY_IN_XML, '<$1$2></$1>') : text;
  let depth = 0;
  let deepest = 0;
  for (const [, slash, name, selfClosed] of html.matchAll(TAG)) {
    if (name === undefined || SELF_CLOSING.has(name.toLowerCase()) || selfClosed === '/') continue;
    depth = slash === '/' ? Math.max(0, depth - 1) : depth + 1;
    deepest = Math.max(deepest, depth);
  }
  return deepest <= MAX_DEPTH ? html : flatten(html);
}

function flatten(html: string): string {
  let depth = 0;
  return html.replace(TAG, (tag: string, slash: string, name: string, selfClosed: string) => {
    if (SELF_CLOSING.has(name.toLowerCase()) || selfClosed === '/') return depth > MAX_DEPTH ? ' ' : tag;
    depth = slash === '/' ? Math.max(0, depth - 1) : depth + 1;
    return depth >= MAX_DEPTH ? ' ' : tag;
  });
}
