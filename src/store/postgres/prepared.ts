/** Statements that begin so are parsed once on each connection. Their texts must be few, and name their columns. */
export const PREPARED = '/* prepared */';

/** Settings of PostgreSQL by name, for one query. */
export type QuerySettings = Readonly<Record<string, string | number>>;

/** What sets them until the end of the transaction. */
export const settingAll = (settings: QuerySettings): string =>
  `select ${Object.entries(settings)
    .map(([name, value]) => `set_config('${name}', '${value}', true)`)
    .join(', ')}`;

/** A statement that begins so runs with these settings in a transaction of its own, sent together with it. */
export const settingsMark = (settings: QuerySettings): string => `/* with ${JSON.stringify(settings)} */`;

const SETTINGS_MARK = /^\/\* with (\{.*?\}) \*\//;

/** The settings that a statement begins with, and the rest of it. */
export function splitSettings(text: string): { readonly settings: QuerySettings | undefined; readonly rest: string } {
  const [mark, settings] = SETTINGS_MARK.exec(text) ?? [];
  if (mark === undefined || settings === undefined) return { settings: undefined, rest: text };
  return { settings: JSON.parse(settings) as QuerySettings, rest: text.slice(mark.length) };
}

const names = new Map<string, string>();

/** What a connection calls a statement; undefined for one that is not prepared. */
export function nameOfStatement(text: string): string | undefined {
  if (!text.startsWith(PREPARED)) return undefined;
  const name = names.get(text) ?? `citewell_${names.size}`;
  names.set(text, name);
  return name;
}
