import { z } from 'zod';
import { ServiceError } from '../../src/errors.ts';
import { shortLine } from '../../src/shared/text.ts';
import { defineTool } from '../../src/toolbox/tool.ts';
import type { ToolContext } from '../../src/toolbox/tool-context.ts';
import type { FolderSyncState } from '../../src/toolbox/tool-ports.ts';
import { allowedFolder } from './allowed-path.ts';
import { folderPath } from './fields.ts';

/** Milliseconds a call waits for the synchronisation to finish; after that the caller has to call again. */
const WAIT_MS = 30_000;

export const folderFailures = z
  .array(z.object({ path: z.string(), outcome: z.string(), reason: z.string() }))
  .describe('Failed and skipped files, and folders whose missing files were kept as documents');

export const syncFolder = defineTool({
  name: 'sync_folder',
  title: 'Synchronise a folder',
  description:
    'Synchronise documents with the files of a folder of this machine: ingest new and changed files, follow moved ones, and remove the documents of deleted files. Only folders that the operator allowed can be read. The synchronisation of a large folder continues after the call; call again to see its progress.',
  input: z.object({
    path: folderPath,
  }),
  output: z.object({
    path: z.string(),
    status: z.enum(['running', 'ended', 'failed']),
    counts: z.record(z.string(), z.number().int()),
    failures: folderFailures,
  }),
  annotations: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
  needs: ['ingestion', 'folders'],
  deadline: 50_000,

  async execute({ path: given }, context) {
    const path = await allowedFolder(given, context);
    const state = await syncNow(path, false, context);
    return { text: describeSync(path, state, 'sync_folder'), structured: { path, ...state } };
  },
});

export function syncNow(path: string, keepDeleted: boolean, context: ToolContext): Promise<FolderSyncState> {
  if (context.folderSync === undefined) {
    throw new ServiceError('not_configured', 'Documents cannot be added, changed or deleted here.');
  }
  const { signal, progress } = context;
  const onStep = (done: number) => progress?.(`${done} files of ${shortLine(path)}`, done);
  return context.folderSync.sync(path, { keepDeleted, waitMs: WAIT_MS, signal, onStep });
}

export function describeSync(
  path: string,
  { status, counts, failures }: FolderSyncState,
  tool: 'sync_folder' | 'ingest_file',
): string {
  const kinds = Object.entries(counts).map(([kind, number]) => `${number} ${kind}`);
  const done = kinds.length === 0 ? 'no readable files' : kinds.join(', ');
  const head = {
    ended: `${path} is synchronised: ${done}.`,
    running: `${path} is still being synchronised; so far: ${done}. Call ${tool} again to see its progress.`,
    failed: `${path} was not synchronised completely; before the failure: ${done}.`,
  }[status];
  const lines = failures.map(({ path: where, outcome, reason }) => {
    const label = labels[outcome] ?? 'Note';
    return `${label}: ${where}: ${shortLine(reason)}`;
  });
  return [head, ...lines].join('\n');
}

const labels: Readonly<Record<string, string>> = { failed: 'Failed', skipped: 'Skipped', kept: 'Nothing removed' };
