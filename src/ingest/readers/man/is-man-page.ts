const MAX_LINES = 600;

/**
 * Whether a text is a manual page: nothing but comments and requests comes before its title (`.TH`, `.Dd`, `.Dt`), or
 * it only refers to another page (`.so`).
 */
export function isManPage(text: string): boolean {
  if (!/^\s*[.'\\]/.test(text)) return false;
  let isDefining = false;
  let isFirst = true;
  for (const line of text.split('\n', MAX_LINES)) {
    if (isDefining) {
      isDefining = !/^\.\.\s*$/.test(line);
      continue;
    }
    if (/^(?:[.'][ \t]*(?:\\["#]|$)|\\["#{])/.test(line) || line.trim() === '') continue;
    if (/^[.'][ \t]*(?:TH[ \t]+\S+[ \t]+"?[\w\\]|D[dt]\b)/.test(line)) return true;
    if (isFirst && /^\.so[ \t]+[\w./+-]+\s*$/.test(line)) return true;
    if (!/^[.']/.test(line)) return false;
    isDefining = /^[.'][ \t]*(?:de1?|am1?|ig)\b/.test(line);
    isFirst = false;
  }
  return false;
}
