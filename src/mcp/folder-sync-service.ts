import { stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import type { Principal } from '../access/principal.ts';
import { usableCollections } from '../access/usable-collections.ts';
import { type Document, isIngested } from '../documents/document.ts';
import { ServiceError } from '../errors.ts';
import { findFiles } from '../ingest/folders/find-files.ts';
import type { FolderTarget } from '../ingest/folders/folder-target.ts';
import { createLatestProblems } from '../ingest/folders/latest-problems.ts';
import { localTarget } from '../ingest/folders/local-target.ts';
import { isSupported } from '../ingest/folders/supported-files.ts';
import { syncPaths } from '../ingest/folders/sync-folder.ts';
import type { FolderFile, FolderSync, FolderSyncState } from '../toolbox/tool-ports.ts';
import type { McpServices } from './mcp-services.ts';

/** Folder synchronizations per principal; they continue when the caller disconnects. */
export interface FolderSyncService {
  of(principal: Principal): FolderSync;
  close(): Promise<void>;
}

type Services = Pick<
  McpServices,
  'corpus' | 'collections' | 'ingestor' | 'sources' | 'status' | 'maxFileBytes' | 'log'
>;

const DOCUMENTS_PER_PAGE = 200;

export function createFolderSyncService(services: Services): FolderSyncService {
  const closing = new AbortController();
  const running = new Map<string, { readonly state: FolderSyncState; readonly over: Promise<void> }>();

  async function sync(path: string, keepDeleted: boolean, target: FolderTarget, state: FolderSyncState) {
    const { data } = await services.status();
    const problems = createLatestProblems();
    const steps = syncPaths([path], {
      client: target,
      root: path,
      dataFolder: data,
      maxBytes: services.maxFileBytes,
      keepDeleted,
      metadata: {},
      collections: [],
      duplicates: new Map(),
      settleMs: () => 0,
      stop: closing.signal,
      abandon: closing.signal,
    });
    for await (const step of steps) {
      const kind = step.type === 'document' ? step.outcome : step.type;
      state.counts[kind] = (state.counts[kind] ?? 0) + 1;
      const reason = 'reason' in step ? step.reason : undefined;
      problems.add(kind, { name: step.name, reason, documentId: null });
      state.failures = problems.list().map(({ name, outcome, reason: why }) => ({ path: name, outcome, reason: why }));
    }
  }

  return {
    of: (principal) => ({
      async list(path, { offset, limit, signal }) {
        const { data: dataFolder } = await services.status();
        const documents = await documentsBelow(path, principal, services);
        const files: FolderFile[] = [];
        let seen = 0;
        const until = AbortSignal.any([signal, closing.signal]);
        for await (const found of findFiles(path, { isSupported, dataFolder, signal: until })) {
          if (found.kind === 'skipped' && found.reason !== 'unsupported') continue;
          if (seen++ < offset) continue;
          if (files.length === limit) return { files, next: offset + limit };
          const info = await stat(found.path).catch(() => undefined);
          const document = documents.get(pathToFileURL(found.path).href);
          files.push({
            path: found.path,
            bytes: info?.size ?? 0,
            modifiedAt: (info?.mtime ?? new Date(0)).toISOString(),
            state: stateOf(found.kind === 'file', info?.mtime, document),
            ...(document && { documentId: document.id }),
          });
        }
        until.throwIfAborted();
        return { files };
      },

      async sync(path, { keepDeleted, waitMs, signal, onStep }) {
        const keyOf = (keepsDeleted: boolean) => `${principal.userId} ${keepsDeleted ? 'keep' : 'delete'} ${path}`;
        const key = keyOf(keepDeleted);
        let run = running.get(key);
        if (run === undefined) {
          const state: FolderSyncState = { status: 'running', counts: {}, failures: [] };
          // A run that treats deleted files differently does not do what is asked for; this one waits for it.
          const previous = running.get(keyOf(!keepDeleted))?.over ?? Promise.resolve();
          const over = previous
            .then(() => sync(path, keepDeleted, targetOf(principal, services), state))
            .then(() => {
              state.status = 'ended';
            })
            .catch((error: unknown) => {
              state.status = 'failed';
              state.failures = [{ path, outcome: 'failed', reason: reasonOf(error) }, ...state.failures];
              services.log.error({ err: error, path }, 'A folder could not be synchronised.');
            })
            .finally(() => running.delete(key));
          run = { state, over };
          running.set(key, run);
        }
        const { state, over } = run;
        const until = performance.now() + waitMs;
        const ended = over.then(() => true);
        while (performance.now() < until) {
          signal.throwIfAborted();
          if (await Promise.race([ended, sleep(500, false)])) break;
          onStep(Object.values(state.counts).reduce((sum, number) => sum + number, 0));
        }
        return { ...state, counts: { ...state.counts } };
      },
    }),

    async close() {
      closing.abort();
      await Promise.all([...running.values()].map(({ over }) => over));
    },
  };
}

const reasonOf = (error: unknown): string =>
  error instanceof ServiceError ? error.publicMessage : 'Something went wrong inside the service.';

function stateOf(isFile: boolean, modified: Date | undefined, document: Document | undefined): FolderFile['state'] {
  if (document === undefined) return isFile ? 'not_ingested' : 'unsupported';
  if (document.ingestionStatus === 'failed') return 'failed';
  if (modified !== undefined && modified.toISOString() > document.updatedAt) return 'changed';
  return isIngested(document.ingestionStatus) ? 'ingested' : 'ingesting';
}

async function documentsBelow(
  path: string,
  { userId }: Principal,
  { sources }: Services,
): Promise<Map<string, Document>> {
  const documents = new Map<string, Document>();
  const prefix = `${pathToFileURL(path).href}/`;
  for (let after: string | undefined; ; ) {
    const page = await sources.below(userId, { prefix, limit: DOCUMENTS_PER_PAGE, ...(after && { after }) });
    for (const document of page) documents.set(document.source ?? '', document);
    after = page.at(-1)?.source ?? undefined;
    if (page.length < DOCUMENTS_PER_PAGE || after === undefined) return documents;
  }
}

/** Target that ingests in this process on behalf of the principal. */
const targetOf = (principal: Principal, services: Services): FolderTarget =>
  localTarget(
    { userId: principal.userId, collectionIds: () => usableCollections(services.collections, principal, []) },
    services,
  );
