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

export async function statusOf(parts: StatusParts): Promise<ServiceStatus> {
  const { deployment, external, index, models, store, embedder, summaries } = parts;
  const { kind } = store.maintenance.state();
  const isSilent = kind === 'in_step' && !(await index.isHealthy());
  // Audits the index, which waits for it to recover.
  if (isSilent) void store.maintenance.audit().catch(() => undefined);
  const state = isSilent ? 'unavailable' : indexStates[kind];
  const { waiting, failed } = await store.documentGraphs.backlog();
  const away = await store.objects?.problem();
  const problems = [...external.problems(), store.problem(), away].filter((each) => each !== undefined);
  return {
    version: deployment.version,
    model: models.defaultName('quality'),
    embedder: embedder.embeddings.name,
    embedderReason: await embedder.reason(),
    ...(deployment.web && { web: deployment.web }),
    data: deployment.data,
    ...(deployment.database && { database: deployment.database }),
    ...(store.objects && {
      originals: { place: store.objects.name, state: away === undefined ? 'ready' : 'unavailable' },
    }),
    ...(store.others && { processes: await store.others.members() }),
    index: { kind: deployment.index, state },
    graph: { waiting, failed },
    summaries: await summaries.backlog(),
    problems: [...(state === 'unavailable' ? ['The vector index does not answer.'] : []), ...problems],
    hints: [
      ...deployment.hints({ models, embedder: embedder.embeddings, hasIndex: state !== 'unavailable' }),
      ...problems,
    ],
  };
}
