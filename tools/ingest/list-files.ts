import { z } from 'zod';
import { ServiceError } from '../../src/errors.ts';
import { describeFolder } from '../../src/toolbox/describe-folder.ts';
import { defineTool } from '../../src/toolbox/tool.ts';
import { allowedFolder } from './allowed-path.ts';
import { folderPath } from './fields.ts';

export const listFiles = defineTool({
  name: 'list_files',
  title: 'List files',
  description:
    'List the files below a folder of this machine that the operator allowed, with the ingestion state of each. Use it to see which files can be added; search_file_descriptions finds documents by topic.',
  input: z.object({
    path: folderPath,
    offset: z.number().int().min(0).max(1_000_000).default(0).describe('Number of files to skip'),
    limit: z.number().int().min(1).max(200).default(50).describe('How many to return (1 to 200, default 50)'),
  }),
  output: z.object({
    path: z.string(),
    files: z.array(
      z.object({
        path: z.string(),
        bytes: z.number().int(),
        modified_at: z.string(),
        state: z.enum(['ingested', 'ingesting', 'changed', 'failed', 'not_ingested', 'unsupported']),
        document_id: z.string().optional(),
      }),
    ),
    next_offset: z.number().int().optional(),
  }),
  annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  needs: ['folders'],
  deadline: 20_000,

  async execute({ path: given, offset, limit }, context) {
    if (context.folderSync === undefined)
      throw new ServiceError('not_configured', 'Folders of this machine cannot be read here.');
    const path = await allowedFolder(given, context);
    const { files, next } = await context.folderSync.list(path, { offset, limit, signal: context.signal });
    const lines = files.map(
      (file) => `${file.state.padEnd(12)} ${file.path.slice(path.length + 1)} (${file.bytes} bytes)`,
    );
    const end = offset + files.length;
    return {
      text: [
        `Folder: ${path}`,
        ...(context.followed ?? []).map((folder) => `Watched folder: ${describeFolder(folder)}`),
        ...(lines.length === 0 ? ['No files.'] : lines),
        next === undefined ? `End of the list (${end}).` : `More: call list_files again with offset=${next}.`,
      ].join('\n'),
      structured: {
        path,
        files: files.map(({ modifiedAt, documentId, ...file }) => ({
          ...file,
          modified_at: modifiedAt,
          ...(documentId === undefined ? {} : { document_id: documentId }),
        })),
        ...(next === undefined ? {} : { next_offset: next }),
      },
    };
  },
});
