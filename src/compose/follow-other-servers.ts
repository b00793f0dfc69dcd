import type { IngestionService } from '../ingest/ingestion-service.ts';
import type { SourceService } from '../ingest/sources/source-service.ts';
import type { OtherServers, SharedChange } from '../store/other-servers.ts';
import type { WatchedCorpus } from '../store/watch-corpus.ts';

export interface FollowingParts {
  readonly others: OtherServers;
  readonly changedElsewhere: WatchedCorpus['changedElsewhere'];
  readonly ingestions: Pick<IngestionService, 'wakeUp' | 'cancelledElsewhere'>;
  readonly followed: Pick<SourceService, 'start' | 'pause' | 'changedElsewhere'>;
  readonly loadPrompts: () => Promise<void>;
  readonly followEmbedder: () => Promise<void>;
  /** Whether this server also does the background work. */
  readonly resumes: boolean;
  readonly report: (message: string, cause: unknown) => void;
}

/** Keeps the in-memory state of this server in step with changes by others, and takes over work of servers that end. */
export function followOtherServers(parts: FollowingParts): void {
  const { others, changedElsewhere, ingestions, followed, resumes, report } = parts;

  const onTask = ({ kind, id }: SharedChange) => {
    if (kind === 'cancelled' && id !== undefined) ingestions.cancelledElsewhere(id);
    else if (kind === 'queued' && resumes) ingestions.wakeUp();
  };
  const onSource = ({ kind, id }: SharedChange) => {
    const isRequest = id !== undefined && (kind === 'sync' || kind === 'taken_up');
    return followed.changedElsewhere(isRequest ? { kind, id } : undefined);
  };
  const listeners: Readonly<Record<SharedChange['topic'], (change: SharedChange) => void | Promise<void>>> = {
    documents: ({ kind, id }) => {
      if (kind !== 'published' && kind !== 'changed' && kind !== 'removed') return;
      changedElsewhere({ kind, ...(id !== undefined && { documentId: id }) });
    },
    ingestion_tasks: onTask,
    followed_sources: onSource,
    prompts: parts.loadPrompts,
    vector_spaces: parts.followEmbedder,
  };
  others.onChange(async (change) => {
    try {
      await listeners[change.topic](change);
    } catch (error) {
      report(`A change of ${change.topic} by another server could not be read.`, error);
    }
  });

  if (!resumes) return;
  others.onLeadership(() => {
    followed.start();
    changedElsewhere({ kind: 'changed' });
  }, followed.pause);
  others.onTakeOver(() => {
    ingestions.wakeUp();
    changedElsewhere({ kind: 'changed' });
  });
}
