import { resolve } from 'node:path';
import { readCredential } from '../config.ts';
import { ServiceError } from '../errors.ts';
import { isUrl } from '../ingest/find-sources.ts';
import { misspelledName } from '../shared/nearest-name.ts';
import { splitList } from '../shared/text.ts';
import { kindOfAddress, schemeOf, sourceKinds } from '../sources/kinds.ts';
import type { SourceKind } from '../sources/source-kind.ts';

/** The options of `citewell sources add` that describe the source. */
export interface SourceOptions {
  readonly sitemap?: boolean;
  readonly crawlDepth?: number;
  readonly maxPages?: number;
  readonly keepDeleted?: boolean;
  readonly every?: number;
  readonly schedule: boolean;
  /** False for `--no-check`. */
  readonly check?: boolean;
  /** As written: `name=value`. */
  readonly set?: readonly string[];
  readonly collection?: readonly string[];
}

type Place = 'folder' | 'site' | 'remote';

interface Option {
  readonly flag: string;
  /** The places that have this option. */
  readonly places: readonly Place[];
  isGiven(options: SourceOptions): boolean;
}

const placeOptions: readonly Option[] = [
  { flag: '--keep-deleted', places: ['folder', 'remote'], isGiven: ({ keepDeleted }) => keepDeleted !== undefined },
  { flag: '--sitemap', places: ['site'], isGiven: ({ sitemap }) => sitemap !== undefined },
  { flag: '--crawl-depth', places: ['site'], isGiven: ({ crawlDepth }) => crawlDepth !== undefined },
  { flag: '--max-pages', places: ['site'], isGiven: ({ maxPages }) => maxPages !== undefined },
  { flag: '--set', places: ['remote'], isGiven: ({ set }) => set !== undefined },
  { flag: '--every', places: ['remote'], isGiven: ({ every }) => every !== undefined },
  { flag: '--no-schedule', places: ['remote'], isGiven: ({ schedule }) => !schedule },
  { flag: '--no-check', places: ['site', 'remote'], isGiven: ({ check }) => check === false },
];

/** How each place is kept up to date, said when it is given an option that it does not have. */
const synchronisation: Readonly<Record<Place, string>> = {
  folder: 'Changes of a folder are followed at once.',
  site: '"citewell sources sync" synchronises a site, for example from a timer of the system.',
  remote: '--every sets the interval of synchronisations.',
};

/**
 * The source to follow, as the request describes it, without its collections. Throws `invalid_request` for an address of
 * an unknown kind, options that only other kinds have, and missing credentials.
 */
export function readSource(place: string, options: SourceOptions): Readonly<Record<string, unknown>> {
  const kind = kindOfAddress(place);
  if (kind !== undefined) {
    requireOptionsOf('remote', kind.title, options);
    return remoteSource(kind, place, options);
  }
  requireKnownScheme(place);
  if (!isUrl(place)) {
    requireOptionsOf('folder', 'a folder', options);
    const { keepDeleted } = options;
    return { kind: 'folder', path: resolve(place), ...(keepDeleted !== undefined && { keep_deleted: keepDeleted }) };
  }
  requireOptionsOf('site', 'a site', options);
  const { sitemap, crawlDepth, maxPages, check } = options;
  return {
    kind: 'site',
    url: place,
    ...(check === false && { check }),
    ...(sitemap !== undefined && { sitemap }),
    ...(crawlDepth !== undefined && { crawl_depth: crawlDepth }),
    ...(maxPages !== undefined && { max_pages: maxPages }),
  };
}

function requireKnownScheme(place: string): void {
  const scheme = schemeOf(place);
  if (scheme === undefined || isUrl(place)) return;
  const known = ['https', 'http', ...sourceKinds.flatMap(({ schemes }) => schemes)];
  throw new ServiceError(
    'invalid_request',
    `No kind of source has addresses that begin with ${scheme}://. Known beginnings: ${known.join(', ')}; a folder is given as a path.`,
  );
}

function requireOptionsOf(place: Place, title: string, options: SourceOptions): void {
  const refused = placeOptions.find(({ places, isGiven }) => isGiven(options) && !places.includes(place));
  if (refused === undefined) return;
  const known = placeOptions.filter(({ places }) => places.includes(place)).map(({ flag }) => flag);
  throw new ServiceError(
    'invalid_request',
    `${refused.flag} is not an option for ${title}, which has ${[...known, '--collection'].join(', ')}. ${synchronisation[place]}`,
  );
}

function remoteSource(kind: SourceKind, address: string, options: SourceOptions) {
  const { keepDeleted, every, schedule, set = [], check } = options;
  return {
    kind: kind.type,
    address,
    settings: Object.fromEntries(set.map((each) => readSetting(kind, each))),
    credentials: readCredentials(kind),
    ...(keepDeleted !== undefined && { keep_deleted: keepDeleted }),
    ...(every !== undefined && { every_minutes: every }),
    ...(!schedule && { every_minutes: null }),
    ...(check === false && { check }),
  };
}

/** Credentials come from the environment: arguments are visible to other users and kept in the shell's history. */
function readCredentials(kind: SourceKind): Readonly<Record<string, string>> {
  const credentials = Object.fromEntries(
    Object.entries(kind.secrets).flatMap(([name, { variable }]) => {
      const value = readCredential(variable);
      return value === undefined ? [] : [[name, value]];
    }),
  );
  const missing = Object.entries(kind.secrets).filter(([name, secret]) => secret.isRequired && !(name in credentials));
  if (missing.length > 0) {
    throw new ServiceError(
      'invalid_request',
      `${kind.title} needs credentials. Set ${missing.map(([, { variable }]) => variable).join(' and ')} in the environment of this command.`,
    );
  }
  return credentials;
}

/** Credentials that replace the stored ones. Throws `invalid_request` if none is set, as after a forgotten variable. */
export function newCredentials(kind: SourceKind): Readonly<Record<string, string>> {
  const credentials = readCredentials(kind);
  if (Object.keys(credentials).length > 0) return credentials;
  const variables = Object.values(kind.secrets).map(({ variable }) => variable);
  throw new ServiceError(
    'invalid_request',
    variables.length === 0
      ? `${kind.title} has no credentials.`
      : `There are no credentials in the environment of this command. Set ${variables.join(', ')}.`,
  );
}

/** Reads `name=value`; an empty value removes the setting. */
export const readChange = (kind: SourceKind, written: string): readonly [string, unknown] => {
  const [name, value] = readSetting(kind, written);
  return [name, written.endsWith('=') && kind.fields[name]?.type !== 'flag' ? null : value];
};

function readSetting({ type, fields }: SourceKind, written: string): readonly [string, unknown] {
  const [, name = '', value = ''] = /^([^=]+)=(.*)$/s.exec(written) ?? [];
  const field = fields[name];
  if (field === undefined) {
    const known = Object.entries(fields).map(([each, { description }]) => `${each} (${description})`);
    const meant = misspelledName(name, Object.keys(fields));
    throw new ServiceError(
      'invalid_request',
      `Unknown setting "${written}" for ${type}${meant === undefined ? '.' : `; did you mean "${meant}"?`} Known settings: ${known.join('; ')}.`,
    );
  }
  if (field.type === 'number') return [name, Number(value)];
  if (field.type === 'flag') return [name, value === 'true' || value === ''];
  return [name, field.type === 'list' ? splitList(value, /,/) : value];
}
