import { ServiceError } from '../errors.ts';
import { confluenceKind } from './confluence/confluence.ts';
import type { SettingChanges, Settings } from './fields.ts';
import { gdriveKind } from './gdrive/gdrive.ts';
import { gitKind } from './git/git-kind.ts';
import { imapKind } from './imap/imap.ts';
import { mcpKind } from './mcp/mcp-kind.ts';
import { notionKind } from './notion/notion.ts';
import { s3Kind } from './s3/s3-kind.ts';
import type { SourceKind } from './source-kind.ts';
import { webdavKind } from './webdav/webdav-kind.ts';

/** All kinds of remote sources. Connectors are loaded lazily when opened. */
export const sourceKinds: readonly SourceKind[] = [
  s3Kind,
  imapKind,
  notionKind,
  confluenceKind,
  gdriveKind,
  gitKind,
  webdavKind,
  mcpKind,
];

export function sourceKind(type: string): SourceKind {
  const kind = sourceKinds.find((each) => each.type === type);
  if (kind !== undefined) return kind;
  const known = sourceKinds.map((each) => each.type).join(', ');
  throw new ServiceError('invalid_request', `There is no kind of source "${type}"; there are folder, site, ${known}.`);
}

/** The scheme of an address such as `s3://bucket`, in lower case; undefined for a path. */
export const schemeOf = (address: string): string | undefined =>
  /^([a-z][a-z0-9+.-]*):\/\//i.exec(address)?.[1]?.toLowerCase();

/** The kind that handles the scheme of this address; undefined for folders and sites. */
export function kindOfAddress(address: string): SourceKind | undefined {
  const scheme = schemeOf(address);
  return scheme === undefined ? undefined : sourceKinds.find(({ schemes }) => schemes.includes(scheme));
}

/** The settings contained in an address. Throws `invalid_request`, also if the address contains a password. */
export function settingsOfAddress(kind: SourceKind, address: string): Settings {
  const url = URL.parse(address.trim());
  if (url === null || address.length > 4_000) {
    throw new ServiceError('invalid_request', `This is not an address such as ${kind.example}.`);
  }
  if (url.password !== '') {
    throw new ServiceError(
      'invalid_request',
      `The address at ${url.host} carries a password. Give it as a credential, which is stored encrypted.`,
    );
  }
  const read = Object.entries(kind.readAddress(url)).filter(([, value]) => value !== undefined);
  return Object.fromEntries(read) as Settings;
}

/** Merges the settings in an address with explicit ones, which must not contradict it. Throws `invalid_request`. */
export function readSettings(
  kind: SourceKind,
  { address, settings: given }: { readonly address?: string | undefined; readonly settings: Settings },
): { readonly address: string; readonly settings: Settings } {
  const written = address === undefined ? {} : settingsOfAddress(kind, address);
  const settings = { ...written, ...given };
  for (const [name, { isRequired }] of Object.entries(kind.fields)) {
    if (written[name] !== undefined && settings[name] !== written[name]) {
      throw new ServiceError('invalid_request', `The address says another ${name} than the settings. Give it once.`);
    }
    if (isRequired === true && settings[name] === undefined) {
      throw new ServiceError(
        'invalid_request',
        `The setting ${name} is missing. Give it, or an address that contains it, such as ${kind.example}`,
      );
    }
  }
  return { address: kind.addressOf(settings as never), settings };
}

/** Applies changes to settings. Throws `invalid_request` naming any setting that is part of the source's identity. */
export function changeSettings(
  kind: SourceKind,
  { address, settings }: { readonly address: string; readonly settings: Settings },
  changes: SettingChanges,
): Settings {
  const changed = withChanges(settings, changes);
  if (kind.addressOf(changed as never) === address) return changed;
  const fixed = Object.entries(changes).flatMap(([name, value]) =>
    kind.addressOf(withChanges(settings, { [name]: value }) as never) === address ? [] : [name],
  );
  const isOne = fixed.length === 1;
  throw new ServiceError(
    'invalid_request',
    `${(fixed.length === 0 ? Object.keys(changes) : fixed).join(', ')} ${isOne ? 'says' : 'say'} what is followed and ` +
      'cannot be changed. Add another source, and remove this one.',
  );
}

const withChanges = (settings: Settings, changes: SettingChanges): Settings =>
  Object.fromEntries(
    Object.entries({ ...settings, ...changes }).filter(
      (entry): entry is [string, Settings[string]] => entry[1] !== null && entry[1] !== undefined,
    ),
  );
