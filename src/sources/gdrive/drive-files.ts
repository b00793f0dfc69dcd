import { z } from 'zod';
import type { RemoteItem } from '../connector.ts';
import { fileNameOf } from '../json-requests.ts';

/** Strictly validated, because ids are interpolated into queries. */
const id = z.string().regex(/^[\w-]{1,200}$/);

export const fileRecord = z.object({
  id,
  name: z.string(),
  mimeType: z.string(),
  version: z.string().optional(),
  md5Checksum: z.string().optional(),
  modifiedTime: z.string().optional(),
  size: z.string().optional(),
  parents: z.array(z.string()).optional(),
  trashed: z.boolean().optional(),
  driveId: id.optional(),
  webViewLink: z.string().optional(),
  shortcutDetails: z.object({ targetId: id, targetMimeType: z.string().optional() }).optional(),
});
export type DriveFile = z.output<typeof fileRecord>;

export const FILE_FIELDS =
  'id,name,mimeType,version,md5Checksum,modifiedTime,size,parents,trashed,driveId,webViewLink,' +
  'shortcutDetails(targetId,targetMimeType)';

const GOOGLE = 'application/vnd.google-apps.';
export const FOLDER = `${GOOGLE}folder`;
export const SHORTCUT = `${GOOGLE}shortcut`;

const OFFICE = 'application/vnd.openxmlformats-officedocument';

interface ExportFormat {
  readonly mediaType: string;
  readonly extension: string;
}

/** Export formats of Google's editors. Forms, sites, maps and the like cannot be exported. */
const EXPORTS: Readonly<Record<string, ExportFormat>> = {
  [`${GOOGLE}document`]: { mediaType: `${OFFICE}.wordprocessingml.document`, extension: 'docx' },
  [`${GOOGLE}spreadsheet`]: { mediaType: `${OFFICE}.spreadsheetml.sheet`, extension: 'xlsx' },
  [`${GOOGLE}presentation`]: { mediaType: `${OFFICE}.presentationml.presentation`, extension: 'pptx' },
  [`${GOOGLE}drawing`]: { mediaType: 'application/pdf', extension: 'pdf' },
};

export const exportOf = ({ mimeType }: DriveFile): ExportFormat | undefined => EXPORTS[mimeType];

/** The item of a file; undefined for files that cannot be read, such as forms. */
export function driveItem(file: DriveFile, address: string): RemoteItem | undefined {
  const { name, mimeType, size, modifiedTime, webViewLink } = file;
  const exported = exportOf(file);
  if (exported === undefined && mimeType.startsWith(GOOGLE)) return undefined;
  return {
    kind: 'item',
    key: file.id,
    version: versionOf(file),
    uri: `${address}/${file.id}`,
    title: name,
    fileName: exported === undefined ? name : fileNameOf(name, { id: file.id, extension: exported.extension }),
    ...(size !== undefined && exported === undefined && { size: Number(size) }),
    ...(modifiedTime !== undefined && { modified: modifiedTime }),
    ...(webViewLink?.startsWith('https://') && { link: webViewLink }),
  };
}

/**
 * Google's `version` also increases for irrelevant changes, such as permissions and views, so the hash is preferred.
 * Documents of Google's editors have no hash; their modification time in milliseconds is used instead.
 */
const versionOf = ({ md5Checksum, modifiedTime, version, name }: DriveFile): string =>
  `${md5Checksum ?? modifiedTime ?? version} ${name}`;
