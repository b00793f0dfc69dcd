export const searchKinds = ['auto', 'hybrid', 'semantic', 'full_text'] as const;
export type SearchKindName = (typeof searchKinds)[number];

export const limits = [10, 20, 50] as const;

export type MetadataValue = string | number | boolean;

/** A required value of a metadata key. */
export interface MetadataChoice {
  readonly key: string;
  readonly value: MetadataValue;
}

/** A search as encoded in the URL. */
export interface SearchAddress {
  readonly query: string;
  readonly kind: SearchKindName;
  readonly limit: number;
  readonly page: number;
  readonly types: readonly string[];
  readonly collections: readonly string[];
  readonly metadata: readonly MetadataChoice[];
}

export function readSearchAddress(query: URLSearchParams): SearchAddress {
  const limit = Number(query.get('limit'));
  const page = Number(query.get('page'));
  return {
    query: query.get('q') ?? '',
    kind: searchKinds.find((name) => name === query.get('kind')) ?? 'auto',
    limit: limits.find((each) => each === limit) ?? limits[0],
    page: Number.isSafeInteger(page) && page > 1 ? page : 1,
    types: query.getAll('type'),
    collections: query.getAll('collection'),
    metadata: query.getAll('meta').flatMap((text) => readChoice(text) ?? []),
  };
}

export function toSearchLink({ query, kind, limit, page, types, collections, metadata }: SearchAddress): string {
  const parameters = new URLSearchParams();
  if (query !== '') parameters.set('q', query);
  if (kind !== 'auto') parameters.set('kind', kind);
  if (limit !== limits[0]) parameters.set('limit', String(limit));
  if (page > 1) parameters.set('page', String(page));
  for (const type of types) parameters.append('type', type);
  for (const collection of collections) parameters.append('collection', collection);
  for (const choice of metadata) parameters.append('meta', writeChoice(choice));
  const text = parameters.toString();
  return text === '' ? '/search' : `/search?${text}`;
}

/** `key=value` with a JSON value, so that 2024 and "2024" differ. */
const writeChoice = ({ key, value }: MetadataChoice): string => `${key}=${JSON.stringify(value)}`;

function readChoice(text: string): MetadataChoice | undefined {
  const at = text.lastIndexOf('=', text.includes('="') ? text.indexOf('="') : undefined);
  if (at < 1) return undefined;
  try {
    const value: unknown = JSON.parse(text.slice(at + 1));
    const isKnown = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
    return isKnown ? { key: text.slice(0, at), value } : undefined;
  } catch {
    return undefined;
  }
}

/** The list with the value added, or removed if present. */
export const toggled = <T>(list: readonly T[], value: T, isSame: (one: T, other: T) => boolean = Object.is): T[] =>
  list.some((each) => isSame(each, value)) ? list.filter((each) => !isSame(each, value)) : [...list, value];

export const isSameChoice = (one: MetadataChoice, other: MetadataChoice): boolean =>
  one.key === other.key && one.value === other.value;

/** The filters of the request; several values of one key are alternatives. */
export function toFilters({ types, collections, metadata }: SearchAddress): Readonly<Record<string, unknown>> {
  const byKey = new Map<string, MetadataValue[]>();
  for (const { key, value } of metadata) byKey.set(key, [...(byKey.get(key) ?? []), value]);
  return {
    ...(types.length > 0 && { document_type: { $in: types } }),
    ...(collections.length > 0 && { collection_ids: { $overlap: collections } }),
    ...Object.fromEntries([...byKey].map(([key, values]) => [`metadata.${key}`, { $in: values }])),
  };
}
