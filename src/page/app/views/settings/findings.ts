import { texts } from '../../texts.ts';

/** The used fields of `/v3/system/status`. */
export interface SystemStatus {
  readonly uptime_seconds: number;
  readonly memory_usage: number;
  readonly citewell: {
    readonly version: string;
    readonly model: string;
    readonly embedder: string;
    readonly embedder_reason?: string;
    readonly web?: { readonly search: readonly string[]; readonly browser: string | null };
    readonly data: string;
    readonly database?: string;
    readonly originals?: { readonly place: string; readonly state: 'ready' | 'unavailable' };
    readonly index: { readonly kind: string; readonly state: 'ready' | 'checking' | 'rebuilding' | 'unavailable' };
    readonly graph?: Work;
    readonly summaries?: Work;
    readonly hints: readonly string[];
    readonly pending_index_writes: number;
    readonly documents: Readonly<Record<string, number>>;
    readonly chunks: number;
    readonly collections: number;
    readonly ingestion: { readonly queued: number; readonly retrying: number; readonly running: number };
  };
}

interface Work {
  readonly waiting: number;
  readonly failed: number;
}

/** A finding: `wrong` prevents operation, `warning` degrades it, `busy` is temporary. */
export interface Finding {
  readonly level: 'wrong' | 'warning' | 'busy' | 'hint';
  readonly text: string;
  /** Link to the related view. */
  readonly href?: string;
}

export function findingsOf({ citewell }: SystemStatus): readonly Finding[] {
  const { index, documents, pending_index_writes: pendingWrites, ingestion, graph, summaries, hints } = citewell;
  const failed = documents['failed'] ?? 0;
  const waiting = ingestion.queued + ingestion.running;
  const findings: (Finding | false)[] = [
    index.state === 'unavailable' && { level: 'wrong', text: texts.settings.indexStates.unavailable },
    (index.state === 'rebuilding' || index.state === 'checking') && {
      level: 'busy',
      text: texts.settings.indexStates[index.state],
    },
    failed > 0 && { level: 'warning', text: texts.settings.failedDocuments(failed), href: '/library?state=failed' },
    ingestion.retrying > 0 && { level: 'warning', text: texts.settings.retrying(ingestion.retrying) },
    (graph?.failed ?? 0) > 0 && { level: 'warning', text: texts.settings.failedGraphs(graph?.failed ?? 0) },
    (summaries?.failed ?? 0) > 0 && { level: 'warning', text: texts.settings.failedSummaries(summaries?.failed ?? 0) },
    pendingWrites > 0 && { level: 'busy', text: texts.settings.pendingWrites(pendingWrites) },
    waiting > 0 && { level: 'busy', text: texts.settings.waiting(waiting), href: '/library?state=working' },
    (graph?.waiting ?? 0) > 0 && { level: 'busy', text: texts.settings.waitingGraphs(graph?.waiting ?? 0) },
    (summaries?.waiting ?? 0) > 0 && { level: 'busy', text: texts.settings.waitingSummaries(summaries?.waiting ?? 0) },
    ...hints.map((text): Finding => ({ level: 'hint', text })),
  ];
  return findings.filter((finding) => finding !== false);
}
