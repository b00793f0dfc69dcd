import { readFile, realpath, stat } from 'node:fs/promises';
import { basename, isAbsolute, relative, resolve, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';
import { ServiceError } from '../../src/errors.ts';
import { defineTool } from '../../src/toolbox/tool.ts';
import { collections, metadata, title } from './fields.ts';
import { ingestOutput, takeIn, toMetadata } from './take-in.ts';

const MAX_BYTES = 100_000_000;

export const ingestFile = defineTool({
  name: 'ingest_file',
  title: 'Add a file',
  description:
    'Add a file of this machine (PDF, Word, Markdown, HTML, text, CSV, JSON, source code…) as a document, or take a changed one in again in place of its old state. Only files below the folders that the operator allowed can be read. Returns its document_id; a long one goes on being read after the call, and document_status says when it is ready.',
  input: z.object({
    path: z.string().trim().min(1).max(4096).describe('Path of the file, absolute or from an allowed folder'),
    title,
    metadata,
    collections,
  }),
  output: ingestOutput,
  annotations: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
  needs: ['intake', 'folders'],
  deadline: 50_000,

  async execute(input, context) {
    const path = await allowedFile(input.path, context.folders ?? []);
    const { size } = await stat(path);
    if (size > MAX_BYTES) {
      throw new ServiceError('too_large', `${path} has ${size} bytes; at most ${MAX_BYTES} are read.`);
    }
    const bytes = await readFile(path, { signal: context.signal });
    return takeIn(
      {
        content: { kind: 'file', bytes, fileName: basename(path) },
        title: input.title,
        metadata: toMetadata(input.metadata),
        collections: input.collections ?? [],
        source: pathToFileURL(path).href,
      },
      context,
    );
  },
});

/**
 * The real path of a file below an allowed folder: links are followed before the check, so that none leads out. What
 * lies outside is not told from what is not there.
 */
async function allowedFile(given: string, folders: readonly string[]): Promise<string> {
  const roots = await Promise.all(folders.map((folder) => realpath(folder).catch(() => undefined)));
  for (const root of roots) {
    if (root === undefined) continue;
    const path = await realpath(isAbsolute(given) ? given : resolve(root, given)).catch(() => undefined);
    if (path === undefined || !isBelow(path, root)) continue;
    if ((await stat(path)).isFile()) return path;
    throw new ServiceError('invalid_request', `"${given}" is not a file. Name one file at a time.`);
  }
  throw new ServiceError(
    'not_found',
    `There is no file "${given}" below the allowed folders: ${folders.join(', ') || 'none is allowed'}.`,
  );
}

function isBelow(path: string, root: string): boolean {
  const way = relative(root, path);
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
