import { z } from 'zod';
import { ServiceError } from '../../errors.ts';
import type { ReadOptions, RemoteContent } from '../connector.ts';
import type { JsonRequests } from '../json-requests.ts';
import { withRetries } from '../with-retries.ts';
import { type DriveFile, exportOf, FILE_FIELDS, fileRecord } from './drive-files.ts';

const API = 'https://www.googleapis.com/drive/v3';
const PER_REQUEST = 1000;

const filesPage = z.object({
  files: z.array(fileRecord),
  nextPageToken: z.string().optional(),
  incompleteSearch: z.boolean().optional(),
});
const changesPage = z.object({
  changes: z.array(
    z.object({ fileId: z.string().optional(), removed: z.boolean().optional(), file: fileRecord.optional() }),
  ),
  nextPageToken: z.string().optional(),
  newStartPageToken: z.string().optional(),
});

export interface DriveChange {
  readonly id: string;
  /** Undefined if the file was removed or is no longer accessible. */
  readonly file: DriveFile | undefined;
}

/** The requests used of the Drive API, all including items in shared drives. Methods throw ServiceError. */
export interface DriveApi {
  file(id: string, signal: AbortSignal): Promise<DriveFile>;
  /**
   * The children of these folders that are not in the trash; `incomplete` if Google searched only a part. `drive` is
   * the shared drive that contains the folders.
   */
  children(
    folders: readonly string[],
    drive: string | undefined,
    signal: AbortSignal,
  ): AsyncIterable<DriveFile | 'incomplete'>;
  startToken(drive: string | undefined, signal: AbortSignal): Promise<string>;
  /** Yields pages of changes; only the last one has `next`, the token for later changes. */
  changes(
    token: string,
    drive: string | undefined,
    signal: AbortSignal,
  ): AsyncIterable<{ readonly changes: readonly DriveChange[]; readonly next: string | undefined }>;
  content(file: DriveFile, options: ReadOptions): Promise<RemoteContent>;
}

export function createDriveApi(requests: JsonRequests): DriveApi {
  const urlOf = (path: string, parameters: Readonly<Record<string, string | undefined>>): URL => {
    const url = new URL(`${API}/${path}`);
    for (const [name, value] of Object.entries({ supportsAllDrives: 'true', ...parameters })) {
      if (value !== undefined) url.searchParams.set(name, value);
    }
    return url;
  };

  async function* pages<T extends { readonly nextPageToken?: string | undefined }>(
    path: string,
    { schema, parameters, signal }: PageOptions<T>,
    first?: string,
  ): AsyncGenerator<T, void> {
    const seen = new Set<string>();
    for (let token = first; ; ) {
      const url = urlOf(path, { ...parameters, pageSize: `${PER_REQUEST}`, pageToken: token });
      const page = await withRetries(() => requests.json(url, schema, { signal }), signal);
      yield page;
      token = page.nextPageToken;
      if (token === undefined) return;
      if (seen.has(token)) throw new ServiceError('provider_failed', 'Google Drive lists the same over and over.');
      seen.add(token);
    }
  }

  return {
    file: (id, signal) => {
      const url = urlOf(`files/${encodeURIComponent(id)}`, { fields: FILE_FIELDS });
      return withRetries(() => requests.json(url, fileRecord, { signal }), signal);
    },

    async *children(folders, drive, signal) {
      const within = folders.map((folder) => `'${folder}' in parents`).join(' or ');
      const parameters = {
        q: `(${within}) and trashed = false`,
        includeItemsFromAllDrives: 'true',
        ...(drive !== undefined && { corpora: 'drive', driveId: drive }),
        fields: `nextPageToken,incompleteSearch,files(${FILE_FIELDS})`,
      };
      for await (const page of pages('files', { schema: filesPage, parameters, signal })) {
        if (page.incompleteSearch === true) yield 'incomplete';
        yield* page.files;
      }
    },

    async startToken(drive, signal) {
      const schema = z.object({ startPageToken: z.string().min(1) });
      const url = urlOf('changes/startPageToken', { driveId: drive });
      const { startPageToken } = await withRetries(() => requests.json(url, schema, { signal }), signal);
      return startPageToken;
    },

    async *changes(token, drive, signal) {
      const parameters = {
        includeRemoved: 'true',
        includeItemsFromAllDrives: 'true',
        driveId: drive,
        fields: `nextPageToken,newStartPageToken,changes(fileId,removed,file(${FILE_FIELDS}))`,
      };
      for await (const page of pages('changes', { schema: changesPage, parameters, signal }, token)) {
        const changes = page.changes.flatMap(({ fileId, removed, file }) =>
          fileId === undefined ? [] : [{ id: fileId, file: removed === true ? undefined : file }],
        );
        yield { changes, next: page.nextPageToken === undefined ? page.newStartPageToken : undefined };
      }
    },

    async content(file, options) {
      const path = `files/${encodeURIComponent(file.id)}`;
      const exported = exportOf(file);
      if (exported === undefined) return requests.file(urlOf(path, { alt: 'media' }), options);
      const { mediaType } = exported;
      const { bytes } = await requests.file(urlOf(`${path}/export`, { mimeType: mediaType }), options);
      return { bytes, mediaType };
    },
  };
}

interface PageOptions<T> {
  readonly schema: z.ZodType<T>;
  readonly parameters: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
}
