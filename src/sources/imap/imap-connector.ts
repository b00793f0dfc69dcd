import type { FetchMessageObject, ListResponse } from 'imapflow';
import { z } from 'zod';
import { ServiceError } from '../../errors.ts';
import { jsonOrUndefined } from '../../shared/text.ts';
import type { Listed, RemoteItem, SourceConnector } from '../connector.ts';
import { encodeFolder, imapKind } from './imap.ts';
import { createImapClient, type ImapAccount } from './imap-client.ts';
import { fromRanges, toRanges } from './uid-set.ts';

export interface ImapSource extends ImapAccount {
  readonly user: string;
  readonly folders?: readonly string[] | undefined;
  readonly since?: string | undefined;
}

/** Maps each folder to its messages as of the last listing: UIDVALIDITY and UIDs. */
const cursorSchema = z.record(z.string(), z.object({ validity: z.string(), uids: z.string() }));
type Cursor = z.output<typeof cursorSchema>;

/** Number of messages whose headers are fetched per command. */
const PER_FETCH = 500;
const MAX_NAME = 120;
/** Special-use folders that hold copies of other messages, or content not worth indexing. */
const LEFT_OUT: ReadonlySet<string> = new Set(['\\Trash', '\\Junk', '\\Drafts', '\\Flagged', '\\Important']);

/**
 * A message never changes under its UID, so flag changes such as "seen" are irrelevant. A listing compares the UIDs of
 * each folder with the previous listing and fetches the headers of new messages only.
 */
export function createImapConnector(source: ImapSource): SourceConnector {
  const { folders, since } = source;
  const client = createImapClient(source);
  const base = imapKind.addressOf({ ...withoutFolders(source) } as never);

  async function* list(cursor: string | undefined, signal: AbortSignal): AsyncGenerator<Listed, void> {
    const parsed = cursorSchema.safeParse(jsonOrUndefined(cursor ?? ''));
    const before: Cursor | undefined = parsed.success ? parsed.data : undefined;
    const known = before ?? {};
    const next: Cursor = {};
    const found = await client.use(signal, (each) => each.list());
    const { paths, missing } = chooseFolders(found, folders);
    for (const folder of missing) {
      yield { kind: 'failed', key: folder, reason: `There is no folder ${folder} any more, or it is not shown.` };
      for (const [path, messages] of Object.entries(known)) if (isBelow(path, folder)) next[path] = messages;
    }
    for (const path of paths) {
      try {
        yield* listFolder(path);
      } catch (error) {
        if (!(error instanceof ServiceError) || error.code !== 'not_found') throw error;
        yield { kind: 'failed', key: path, reason: error.message };
        if (known[path] !== undefined) next[path] = known[path];
      }
    }
    for (const [path, { validity, uids }] of Object.entries(known)) {
      if (next[path] === undefined) yield* removedItems(path, validity, fromRanges(uids));
    }
    yield { kind: 'end', covers: before === undefined ? 'all' : 'changes', cursor: JSON.stringify(next) };

    async function* listFolder(path: string): AsyncGenerator<Listed, void> {
      const { validity, uids } = await client.inFolder(path, signal, async (each, { uidValidity }) => ({
        validity: String(uidValidity),
        uids: (await each.search({ deleted: false, ...(since !== undefined && { since }) }, { uid: true })) || [],
      }));
      uids.sort((one, other) => one - other);
      const earlier = known[path];
      const isSame = earlier?.validity === validity;
      const old = isSame ? fromRanges(earlier.uids) : new Set<number>();
      const added = uids.filter((uid) => !old.has(uid));
      const listed = new Set<number>(uids.filter((uid) => old.has(uid)));
      // Never yield while holding the folder lock: the consumer of the listing opens folders as well.
      for (let at = 0; at < added.length; at += PER_FETCH) {
        const range = toRanges(added.slice(at, at + PER_FETCH));
        const messages = await client.inFolder(path, signal, (each) =>
          each.fetchAll(range, { uid: true, size: true, envelope: true, internalDate: true }, { uid: true }),
        );
        for (const message of messages) {
          listed.add(message.uid);
          yield toItem(path, validity, message, base);
        }
      }
      next[path] = { validity, uids: toRanges([...listed].sort((one, other) => one - other)) };
      if (earlier === undefined) return;
      const now = new Set(uids);
      const lost = isSame ? [...old].filter((uid) => !now.has(uid)) : fromRanges(earlier.uids);
      yield* removedItems(path, earlier.validity, lost);
    }
  }

  return {
    list,
    async read({ key }, { maxBytes, signal }) {
      const { path, validity, uid } = fromKey(key);
      const message = await client.inFolder(path, signal, async (each, { uidValidity }) => {
        if (String(uidValidity) !== validity) throw gonePart(path);
        return each.fetchOne(`${uid}`, { uid: true, source: { maxLength: maxBytes + 1 } }, { uid: true });
      });
      if (message === false || message.source === undefined) throw gonePart(path);
      if (message.source.length > maxBytes) {
        throw new ServiceError('too_large', `The message has more than ${maxBytes} bytes (CITEWELL_MAX_FILE_MB).`);
      }
      return { bytes: message.source, mediaType: 'message/rfc822' };
    },
    close: client.close,
  };
}

const withoutFolders = ({ host, port, tls, user }: ImapSource) => ({ host, port, tls, user });
const gonePart = (path: string) => new ServiceError('not_found', `The message is no longer in ${path}.`);
const keyOf = (path: string, validity: string, uid: number): string => `${validity}/${uid}/${path}`;

function fromKey(key: string): { readonly path: string; readonly validity: string; readonly uid: number } {
  const [, validity = '', uid = '', path = ''] = /^(\d+)\/(\d+)\/(.*)$/s.exec(key) ?? [];
  return { path, validity, uid: Number(uid) };
}

function* removedItems(path: string, validity: string, uids: Iterable<number>): Generator<Listed, void> {
  for (const uid of uids) yield { kind: 'removed', key: keyOf(path, validity, uid) };
}

const isBelow = (path: string, wanted: string): boolean =>
  wanted.endsWith('*') ? path.startsWith(wanted.slice(0, -1)) : path === wanted;

function chooseFolders(all: readonly ListResponse[], wanted: readonly string[] = []) {
  const readable = all.filter(({ flags }) => !flags.has('\\Noselect') && !flags.has('\\NonExistent'));
  if (wanted.length > 0) {
    const named = readable.filter(({ path }) => wanted.some((each) => isNamed(path, each)));
    return {
      paths: named.map(({ path }) => path),
      missing: wanted.filter((each) => !named.some(({ path }) => isNamed(path, each))),
    };
  }
  const everything = readable.find(({ specialUse }) => specialUse === '\\All');
  const chosen =
    everything === undefined ? readable.filter(({ specialUse = '' }) => !LEFT_OUT.has(specialUse)) : [everything];
  return { paths: chosen.map(({ path }) => path), missing: [] };
}

// INBOX is the only case-insensitive folder name (RFC 3501).
const isNamed = (path: string, wanted: string): boolean =>
  isBelow(path, wanted) || (path === 'INBOX' && wanted.toUpperCase() === 'INBOX');

function toItem(path: string, validity: string, message: FetchMessageObject, base: string): RemoteItem {
  const { uid, size, envelope, internalDate } = message;
  const subject = envelope?.subject?.trim().slice(0, 500);
  const name = (subject ?? '')
    .replaceAll(/[^\p{L}\p{N} ._-]+/gu, ' ')
    .trim()
    .slice(0, MAX_NAME);
  const date = dateOf(envelope?.date) ?? dateOf(internalDate);
  return {
    kind: 'item',
    key: keyOf(path, validity, uid),
    version: `${validity}.${uid}`,
    // An IMAP URL (RFC 5092).
    uri: `${base}/${encodeFolder(path)};UIDVALIDITY=${validity}/;UID=${uid}`,
    fileName: `${name || `message-${uid}`}.eml`,
    ...(size !== undefined && { size }),
    ...(subject && { title: subject }),
    ...(date !== undefined && { modified: date }),
    metadata: { folder: path },
  };
}

function dateOf(given: Date | string | undefined): string | undefined {
  const date = given === undefined ? undefined : new Date(given);
  return date === undefined || Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}
