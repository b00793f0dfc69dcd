/** Statements that begin so are parsed once on each connection. Their texts must be few, and name their columns. */
export const PREPARED = '/* prepared */';

const names = new Map<string, string>();

/** What a connection calls a statement; undefined for one that is not prepared. */
export function nameOfStatement(text: string): string | undefined {
  if (!text.startsWith(PREPARED)) return undefined;
  const name = names.get(text) ?? `citewell_${names.size}`;
  names.set(text, name);
  return name;
}
