import type { CorpusEmbedder } from '../embeddings/corpus/corpus-embedder.ts';
import type { ServiceStatus } from '../http/http-services.ts';
import type { SummaryService } from '../ingest/enrich/summary-service.ts';
import type { IndexState } from '../store/index-state.ts';
import type { Adapters } from './adapters.ts';

interface StatusParts extends Pick<Adapters, 'deployment' | 'external' | 'index' | 'models' | 'store'> {
  readonly embedder: CorpusEmbedder;
  readonly summaries: SummaryService;
}

const indexStates = {
  in_step: 'ready',
  checking: 'checking',
  rebuilding: 'rebuilding',
  down: 'unavailable',
} as const satisfies Record<IndexState['kind'], ServiceStatus['index']['state']>;

/** An index that is starting counts as `checking`, because it has not been compared with the store yet. */
function stateOfIndex(
  kind: IndexState['kind'],
  { isSilent, isStarting }: { readonly isSilent: boolean; readonly isStarting: boolean },
): ServiceStatus['index']['state'] {
  if (isSilent) return 'unavailable';
  return isStarting && kind !== 'rebuilding' ? 'checking' : indexStates[kind];
}

/**
 * What the deployment runs on, and what does not work. An index that should answer and does not is audited. With
 * `asksServers`, the problems include configured servers of models and searches that do not answer.
 */
export async function statusOf(
  parts: StatusParts,
  { asksServers = false }: { readonly asksServers?: boolean } = {},
): Promise<ServiceStatus> {
  const { deployment, external, index, models, store, embedder, summaries } = parts;
  const current = store.maintenance.state();
  const { kind } = current;
  const isStarting = index.isStarting?.() ?? false;
  const isSilent = !isStarting && kind === 'in_step' && !(await index.isHealthy());
  // The audit waits until the index recovers.
  if (isSilent) void store.maintenance.audit().catch(() => undefined);
  const state = stateOfIndex(kind, { isSilent, isStarting });
  const silence = kind === 'down' ? current.reason : 'The vector index does not answer.';
  const { waiting, failed } = await store.documentGraphs.backlog();
  const storageProblem = await store.objects?.problem();
  const silent = asksServers ? await deployment.silentServers?.() : undefined;
  const found = [...external.problems(), store.problem(), storageProblem, ...(silent ?? [])];
  const problems = found.filter((each) => each !== undefined);
  return {
    version: deployment.version,
    model: models.defaultName('quality'),
    embedder: embedder.embeddings.name,
    embedderReason: await embedder.reason(),
    ...(deployment.web && { web: deployment.web }),
    data: deployment.data,
    ...(deployment.database && { database: deployment.database }),
    ...(store.objects && {
      originals: { place: store.objects.name, state: storageProblem === undefined ? 'ready' : 'unavailable' },
    }),
    ...(store.others && { processes: await store.others.members() }),
    index: { kind: deployment.index, state },
    graph: { waiting, failed },
    summaries: await summaries.backlog(),
    problems: [...(state === 'unavailable' ? [silence] : []), ...problems],
    hints: [
      ...deployment.hints({ models, embedder: embedder.embeddings, hasIndex: state !== 'unavailable' }),
      ...problems,
    ],
  };
}
