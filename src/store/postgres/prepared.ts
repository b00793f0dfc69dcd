/** Prefix of statements that are prepared once per connection. Their texts must be few and list their columns. */
export const PREPARED = '/* prepared */';

/** PostgreSQL settings by name, for one query. */
export type QuerySettings = Readonly<Record<string, string | number>>;

/** The statement that applies settings until the end of the transaction. */
export const settingAll = (settings: QuerySettings): string =>
  `select ${Object.entries(settings)
    .map(([name, value]) => `set_config('${name}', '${value}', true)`)
    .join(', ')}`;

/** Prefix of a statement that runs with these settings in its own transaction; all of it is sent together. */
export const settingsMark = (settings: QuerySettings): string => `/* with ${JSON.stringify(settings)} */`;

const SETTINGS_MARK = /^\/\* with (\{.*?\}) \*\//;

/** Splits a statement into its settings prefix, if any, and the rest. */
export function splitSettings(text: string): { readonly settings: QuerySettings | undefined; readonly rest: string } {
  const [mark, settings] = SETTINGS_MARK.exec(text) ?? [];
  if (mark === undefined || settings === undefined) return { settings: undefined, rest: text };
  return { settings: JSON.parse(settings) as QuerySettings, rest: text.slice(mark.length) };
}

const names = new Map<string, string>();

/** The name of a prepared statement; undefined for a statement that is not to be prepared. */
export function nameOfStatement(text: string): string | undefined {
  if (!text.startsWith(PREPARED)) return undefined;
  const name = names.get(text) ?? `citewell_${names.size}`;
  names.set(text, name);
  return name;
}
