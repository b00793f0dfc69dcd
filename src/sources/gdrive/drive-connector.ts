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
  /** Base of the document URIs. */
  readonly address: string;
  readonly account: GoogleAccount;
  readonly network: RemoteNetwork;
}

/** Number of folders listed per request. */
const FOLDERS_PER_QUERY = 20;
/** With more changes than this, everything is listed instead. */
const MAX_CHANGES = 50_000;

const cursorSchema = z.object({
  token: z.string(),
  root: z.string(),
  drive: z.string().optional(),
  folders: z.array(z.string()),
  /** Maps the id of each shortcut to its target file. */
  shortcuts: z.record(z.string(), z.string()),
});

/** The known folders and shortcuts below the followed folder. */
interface Tree {
  readonly root: string;
  readonly drive: string | undefined;
  readonly folders: Set<string>;
  readonly shortcuts: Map<string, string>;
}

/**
 * The first listing walks the folders; later ones use the change feed, which reports the parents of each changed file.
 * It does not report what a removed folder contained or where a removed shortcut led; then everything is listed again.
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
    throw new ServiceError('invalid_request', `${folder} is a file of Google Drive, not a folder.`);
  }

  async function* listAll({ id: root, driveId }: DriveFile, signal: AbortSignal): AsyncGenerator<Listed, void> {
    // Fetched before the listing, so that changes made during it are not missed. The change feed of a shared drive is
    // available to its members only; for others, every listing is complete.
    const token = await orUndefined(() => api.startToken(driveId, signal), ['not_found', 'forbidden']);
    const drive = token === undefined ? undefined : driveId;
    const tree: Tree = { root, drive, folders: new Set([root]), shortcuts: new Map() };
    yield* listBelow([root], tree, signal);
    yield { kind: 'end', covers: 'all', ...(token !== undefined && { cursor: toCursor(token, tree) }) };
  }

  async function* listBelow(folders: readonly string[], tree: Tree, signal: AbortSignal): AsyncGenerator<Listed, void> {
    const waiting = [...folders];
    while (waiting.length > 0) {
      const next = waiting.splice(0, FOLDERS_PER_QUERY);
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
    // Shortcuts to folders are not followed; such a folder can be added as a separate source.
    if (targetId === undefined || targetMimeType === FOLDER) return;
    tree.shortcuts.set(file.id, targetId);
    yield* listTarget(targetId, signal);
  }

  /** Lists the target of a shortcut under the target's id, because it may also be below the folder itself. */
  async function* listTarget(id: string, signal: AbortSignal): AsyncGenerator<Listed, void> {
    try {
      const target = await orUndefined(() => api.file(id, signal), ['not_found']);
      const item = target === undefined || target.trashed === true ? undefined : driveItem(target, address);
      yield item ?? { kind: 'removed', key: id };
    } catch (error) {
      // Google answers "not found" for files that are no longer shared, so `forbidden` has other causes.
      if (!(error instanceof ServiceError) || error.code !== 'forbidden') throw error;
      yield { kind: 'unknown', key: id, reason: error.message };
    }
  }

  /** Returns false, without yielding anything, if changes cannot be determined. */
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
      // A folder moved into the tree: its content has no change records of its own, so list it.
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
    // The change feed does not reliably report files outside the folder, so check every shortcut target.
    for (const target of new Set(tree.shortcuts.values())) yield* listTarget(target, signal);
    yield { kind: 'end', covers: 'changes', cursor: toCursor(changed.next, tree) };
    return true;
  }

  /** The latest state of each changed file; undefined if the token is no longer valid or there are too many changes. */
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

/** Codes of Google's responses to an invalid change token. */
const FORGOTTEN: ReadonlySet<string> = new Set(['invalid_request', 'not_found', 'forbidden']);

const toCursor = (token: string, { root, drive, folders, shortcuts }: Tree): string =>
  JSON.stringify({ token, root, drive, folders: [...folders], shortcuts: Object.fromEntries(shortcuts) });

/** Resolves with undefined if the work fails with one of these codes. */
async function orUndefined<T>(work: () => Promise<T>, codes: readonly string[]): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ServiceError && codes.includes(error.code)) return undefined;
    throw error;
  }
}
