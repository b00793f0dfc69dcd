import type { Listed } from '../../sources/connector.ts';
import type { SyncReport } from '../../store/followed-sources.ts';
import type { FolderStep } from '../folders/folder-step.ts';
import { createLatestProblems } from '../folders/latest-problems.ts';
import type { IngestStep } from '../ingest-all.ts';
import type { RemoteStep } from './sync-parts.ts';

/** Counts the outcomes of a synchronisation and saves the report periodically. */
export interface SyncTally {
  report(): SyncReport;
  /** Number of files in the folder, or of items of a remote source; undefined until they are counted. */
  total(): number | undefined;
  /** Number of items of a remote source that are listed so far. */
  listed(): number | undefined;
  add(step: FolderStep): void;
  addPage(step: Extract<IngestStep, { type: 'result' }>): void;
  /** Counts an entry of the listing of a remote source. */
  addListed(each: Listed): void;
  /** Adds the outcome for an item of a remote source. */
  addRemote(step: RemoteStep): void;
  /** Adds a page that the site no longer has; its document is kept. */
  addGonePage(name: string, documentId: string): void;
  /** Marks the first full pass as complete; later steps are changes. */
  end(): void;
  /** Counts the files below the folder; failures are ignored, since the synchronisation reports them. */
  count(folder: string, dataFolder: string, signal: AbortSignal): Promise<void>;
  save(): Promise<void>;
}

export function createSyncTally(save: (report: SyncReport) => Promise<void>, saveMs: number): SyncTally {
  const startedAt = new Date().toISOString();
  const counts: Record<string, number> = {};
  const problems = createLatestProblems();
  let endedAt: string | null = null;
  let total: number | undefined;
  let listed: number | undefined;
  let done = 0;
  let timer: NodeJS.Timeout | undefined;

  const report = (): SyncReport => ({
    startedAt,
    endedAt,
    counts: { ...counts },
    failures: problems.list().map(({ outcome: _, ...failure }) => failure),
  });
  const saveNow = async (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    await save(report());
  };
  const noted = (): void => {
    timer ??= setTimeout(() => void saveNow().catch(() => undefined), saveMs).unref();
  };
  const count = (kind: string, item: Parameters<typeof problems.add>[1]): void => {
    counts[kind] = (counts[kind] ?? 0) + 1;
    done++;
    problems.add(kind, item);
    noted();
  };

  return {
    report,
    // Removed items have outcomes, but are not listed.
    total: () => (total !== undefined && listed !== undefined ? Math.max(total, done) : total),
    listed: () => (listed === undefined ? undefined : Math.max(listed, done)),
    addListed({ kind }) {
      listed ??= 0;
      if (kind === 'end') total = listed;
      else if (kind !== 'removed') listed++;
    },
    add(step) {
      // After the first pass, unchanged files are those that a repeated pass checks again; they are not counted.
      if (step.type === 'unsettled' || (step.type === 'unchanged' && endedAt !== null)) return;
      const kind = step.type === 'document' ? step.outcome : step.type;
      const reason = 'reason' in step ? step.reason : undefined;
      count(kind, { name: step.name, reason, documentId: 'documentId' in step ? step.documentId : null });
      if (endedAt !== null) endedAt = new Date().toISOString();
    },
    addPage: ({ outcome, ...page }) => count(outcome, { reason: undefined, ...page }),
    addRemote: ({ outcome, ...item }) => count(outcome, { reason: undefined, ...item }),
    addGonePage: (name, documentId) =>
      count('gone', {
        name,
        documentId,
        reason: 'The site no longer has this page. Its document is kept until you delete it.',
      }),
    end() {
      endedAt = new Date().toISOString();
      noted();
    },
    async count(folder, dataFolder, signal) {
      const [{ findFiles }, { isSupported }] = await Promise.all([
        import('../folders/find-files.ts'),
        import('../folders/supported-files.ts'),
      ]);
      try {
        let found = 0;
        for await (const { kind } of findFiles(folder, { isSupported, dataFolder, signal }))
          if (kind === 'file') found++;
        total = found;
      } catch {
        // The synchronisation encounters the same problem and reports it.
      }
    },
    save: saveNow,
  };
}
