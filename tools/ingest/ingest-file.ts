import { readFile, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';
import { ServiceError } from '../../src/errors.ts';
import { defineTool } from '../../src/toolbox/tool.ts';
import type { FolderSyncState } from '../../src/toolbox/tool-ports.ts';
import { allowedPath } from './allowed-path.ts';
import { collections, metadata, path, title } from './fields.ts';
import { ingestItem, ingestOutcomes, ingestOutput, requireIngestion, toMetadata } from './ingest-item.ts';
import { describeSync, folderFailures, syncNow } from './sync-folder.ts';

export const ingestFile = defineTool({
  name: 'ingest_file',
  title: 'Add a file',
  description:
    'Add a file of this machine (PDF, Word, Markdown, HTML, text, CSV, JSON, source code…) as a document, or ingest a changed file again, replacing its previous content. Only files below the folders that the operator allowed can be read. Returns the document_id; the ingestion of a long file continues after the call, and corpus_status shows when it is ready.',
  input: z.object({
    path: path.describe(
      'Path of the file, or of a folder to ingest with everything below it; absolute or relative to an allowed folder',
    ),
    title,
    metadata,
    collections,
  }),
  output: ingestOutput.partial({ document_id: true }).extend({
    outcome: z.enum([...ingestOutcomes, 'incomplete', 'failed']),
    counts: z.record(z.string(), z.number().int()).optional(),
    failures: folderFailures.optional(),
  }),
  annotations: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
  needs: ['ingestion', 'folders'],
  deadline: 50_000,

  async execute(input, context) {
    const file = await allowedPath(input.path, context.folders ?? []);
    const info = await stat(file);
    if (info.isDirectory()) {
      const state = await syncNow(file, true, context);
      const { status, counts, failures } = state;
      return {
        text: describeSync(file, state, 'ingest_file'),
        structured: {
          title: basename(file),
          outcome: outcomeOf(state),
          status,
          counts,
          failures,
          chunk_count: 0,
          deduplicated: false,
        },
      };
    }
    if (!info.isFile()) throw new ServiceError('invalid_request', `"${input.path}" is neither a file nor a folder.`);
    await requireIngestion(context).refuseLarge(file, info.size);
    const bytes = await readFile(file, { signal: context.signal });
    return ingestItem(
      {
        content: { kind: 'file', bytes, fileName: basename(file) },
        title: input.title,
        metadata: toMetadata(input.metadata),
        collections: input.collections ?? [],
        source: pathToFileURL(file).href,
      },
      context,
    );
  },
});

function outcomeOf({ status, counts }: FolderSyncState): 'ingested' | 'started' | 'incomplete' | 'failed' {
  if (status === 'running') return 'started';
  if (status === 'failed') return 'failed';
  return (counts['failed'] ?? 0) > 0 ? 'incomplete' : 'ingested';
}
