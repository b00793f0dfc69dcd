import { z } from 'zod';
import { ServiceError } from '../../errors.ts';
import { jsonOrUndefined } from '../../shared/text.ts';
import type { Listed, RemoteNetwork, SourceConnector } from '../connector.ts';
import { createJsonRequests } from '../json-requests.ts';
import { createDriveApi, type DriveChange } from './drive-api.ts';
import { driveFailure } from './drive-failure.ts';
import { type DriveFile, driveItem, FOLDER, SHORTCUT } from './drive-files.ts';
import { createGoogleTokens, type GoogleAccount } from './google-token.ts';

export interface DriveSource {
  readonly folder: string;
  /** What addresses of documents begin with. */
  readonly address: string;
  readonly account: GoogleAccount;
  readonly network: RemoteNetwork;
}

/** Folders whose content is asked for at once. */
const FOLDERS_AT_ONCE = 20;
/** After more changes, everything is listed instead. */
const MAX_CHANGES = 50_000;

const cursorSchema = z.object({
  token: z.string(),
  root: z.string(),
  drive: z.string().optional(),
  folders: z.array(z.string()),
  /** Shortcut → the file that it leads to. */
  shortcuts: z.record(z.string(), z.string()),
});

/** What is known of the tree below the folder. */
interface Tree {
  readonly root: string;
  readonly drive: string | undefined;
  readonly folders: Set<string>;
  readonly shortcuts: Map<string, string>;
}

/**
 * The first listing goes through the folders; later ones ask for what changed since. Changes of files say in which
 * folder they are. When a folder or a shortcut goes, nothing is said of what it contains, so everything is listed again.
 */
export function createDriveConnector({ folder, address, account, network }: DriveSource): SourceConnector {
  const tokens = createGoogleTokens(account, network);
  const requests = createJsonRequests({
    name: 'Google Drive',
    network,
    headers: async (signal) => ({ authorization: `Bearer ${await tokens.current(signal)}` }),
    failureOf: (response) => driveFailure(response, tokens),
  });
  const api = createDriveApi(requests);

  async function* list(cursor: string | undefined, signal: AbortSignal): AsyncGenerator<Listed, void> {
    const known = cursorSchema.safeParse(jsonOrUndefined(cursor ?? '')).data;
    const root = await rootFolder(signal);
    const hasChanges = known !== undefined && known.root === root.id && (yield* listChanges(known, signal));
    if (!hasChanges) yield* listAll(root, signal);
  }

  async function rootFolder(signal: AbortSignal): Promise<DriveFile> {
    const found = await orUndefined(() => api.file(folder, signal), ['not_found']);
    if (found === undefined || found.trashed === true) {
      const who = tokens.sharedWith === undefined ? 'the user of the credentials' : tokens.sharedWith;
      throw new ServiceError(
        'invalid_request',
        `The folder ${folder} is ${found === undefined ? 'not there, or not shared with' : 'in the trash of'} ${who}. The documents stay.`,
      );
    }
    if (found.mimeType === FOLDER) return found;
    throw new ServiceError('invalid_request', `${folder} is no folder of Google Drive, but a file.`);
  }

  async function* listAll({ id: root, driveId }: DriveFile, signal: AbortSignal): AsyncGenerator<Listed, void> {
    // Before the listing, so that nothing is missed that changes meanwhile. Only members of a shared drive are told of
    // changes in it; others list everything each time.
    const token = await orUndefined(() => api.startToken(driveId, signal), ['not_found', 'forbidden']);
    const drive = token === undefined ? undefined : driveId;
    const tree: Tree = { root, drive, folders: new Set([root]), shortcuts: new Map() };
    yield* listBelow([root], tree, signal);
    yield { kind: 'end', covers: 'all', ...(token !== undefined && { cursor: toCursor(token, tree) }) };
  }

  async function* listBelow(folders: readonly string[], tree: Tree, signal: AbortSignal): AsyncGenerator<Listed, void> {
    const waiting = [...folders];
    while (waiting.length > 0) {
      const next = waiting.splice(0, FOLDERS_AT_ONCE);
      for await (const file of api.children(next, tree.drive, signal)) {
        if (file === 'incomplete') {
          yield { kind: 'failed', key: tree.root, reason: 'Google lists only a part of the files at this time.' };
        } else if (file.mimeType !== FOLDER) yield* listFile(file, tree, signal);
        else if (!tree.folders.has(file.id)) {
          tree.folders.add(file.id);
          waiting.push(file.id);
        }
      }
    }
  }

  async function* listFile(file: DriveFile, tree: Tree, signal: AbortSignal): AsyncGenerator<Listed, void> {
    if (file.mimeType !== SHORTCUT) {
      const item = driveItem(file, address);
      if (item !== undefined) yield item;
      return;
    }
    const { targetId, targetMimeType } = file.shortcutDetails ?? {};
    // A folder that a shortcut leads to is a source of its own.
    if (targetId === undefined || targetMimeType === FOLDER) return;
    tree.shortcuts.set(file.id, targetId);
    yield* listTarget(targetId, signal);
  }

  /** A file that a shortcut leads to, with its own key, since it may be below the folder as well. */
  async function* listTarget(id: string, signal: AbortSignal): AsyncGenerator<Listed, void> {
    try {
      const target = await orUndefined(() => api.file(id, signal), ['not_found']);
      const item = target === undefined || target.trashed === true ? undefined : driveItem(target, address);
      yield item ?? { kind: 'removed', key: id };
    } catch (error) {
      // Google says of what is no longer shared that it is not there; a refusal has other reasons.
      if (!(error instanceof ServiceError) || error.code !== 'forbidden') throw error;
      yield { kind: 'unknown', key: id, reason: error.message };
    }
  }

  /** False, before anything is listed, where changes cannot be told. */
  async function* listChanges(
    known: z.output<typeof cursorSchema>,
    signal: AbortSignal,
  ): AsyncGenerator<Listed, boolean> {
    const { root, drive } = known;
    const tree: Tree = {
      root,
      drive,
      folders: new Set(known.folders),
      shortcuts: new Map(Object.entries(known.shortcuts)),
    };
    const changed = await changesSince(known.token, drive, signal);
    if (changed === undefined) return false;
    const isBelow = (file: DriveFile | undefined): file is DriveFile =>
      file !== undefined && file.trashed !== true && (file.parents ?? []).some((parent) => tree.folders.has(parent));
    const lost = [...changed.files].some(
      ([id, file]) => id !== root && (tree.folders.has(id) || tree.shortcuts.has(id)) && !isBelow(file),
    );
    if (lost) return false;
    for (const [id, file] of changed.files) {
      // One that was moved here comes with what is in it.
      if (!isBelow(file) || file.mimeType !== FOLDER || tree.folders.has(id)) continue;
      tree.folders.add(id);
      yield* listBelow([id], tree, signal);
    }
    const targets = new Set(tree.shortcuts.values());
    for (const [id, file] of changed.files) {
      if (isBelow(file)) {
        if (file.mimeType !== FOLDER) yield* listFile(file, tree, signal);
      } else if (!targets.has(id)) yield { kind: 'removed', key: id };
    }
    // Changes of files elsewhere are not told for sure.
    for (const target of new Set(tree.shortcuts.values())) yield* listTarget(target, signal);
    yield { kind: 'end', covers: 'changes', cursor: toCursor(changed.next, tree) };
    return true;
  }

  /** The last state of each file that changed; undefined where the token is no longer known, or for too many. */
  async function changesSince(token: string, drive: string | undefined, signal: AbortSignal) {
    const files = new Map<string, DriveFile | undefined>();
    let next: string | undefined;
    const note = ({ id, file }: DriveChange) => files.set(id, file);
    try {
      for await (const page of api.changes(token, drive, signal)) {
        page.changes.forEach(note);
        next = page.next;
        if (files.size > MAX_CHANGES) return undefined;
      }
    } catch (error) {
      if (error instanceof ServiceError && FORGOTTEN.has(error.code)) return undefined;
      throw error;
    }
    return next === undefined ? undefined : { files, next };
  }

  return {
    list,
    async read({ key }, options) {
      const file = await api.file(key, options.signal);
      if (file.trashed === true) throw new ServiceError('not_found', 'The file is in the trash.');
      return api.content(file, options);
    },
  };
}

/** How Google refuses a token of changes that it no longer knows. */
const FORGOTTEN: ReadonlySet<string> = new Set(['invalid_request', 'not_found', 'forbidden']);

const toCursor = (token: string, { root, drive, folders, shortcuts }: Tree): string =>
  JSON.stringify({ token, root, drive, folders: [...folders], shortcuts: Object.fromEntries(shortcuts) });

/** Undefined for a failure with one of these codes. */
async function orUndefined<T>(work: () => Promise<T>, codes: readonly string[]): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ServiceError && codes.includes(error.code)) return undefined;
    throw error;
  }
}
