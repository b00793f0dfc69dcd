import { Buffer } from 'node:buffer';
import { defaultAdmin } from '../../src/access/principal.ts';
import type { Services } from '../../src/compose/services.ts';
import { defaultGraphSettings, defaultSearchSettings } from '../../src/retrieval/search-settings.ts';
import { withNames } from './measure-graph.ts';
import type { PseudoText } from './pseudo-text.ts';
import { interleaved, type Timing, timed } from './timing.ts';

/** Cost of graph extraction as part of ingestion. */
export interface GraphIngestFigures {
  readonly chunks: number;
  readonly entities: number;
  readonly relationships: number;
  /** Milliseconds per chunk. */
  readonly without: number;
  readonly with: number;
  readonly search: Readonly<Record<'with' | 'without' | 'graph', Timing>>;
}

const DOCUMENTS_PER_TURN = 20;
const CONCURRENCY = 4;
const WARM_UPS = 10;

/**
 * Alternately ingests files through the real ingestor and extracts their graph through the real queue and store, so
 * that other load affects both. Then searches with and without the graph.
 */
export async function measureGraphIngest(
  { ingestor, graph, retriever, corpus }: Services,
  { text, chunks: wanted, queries }: { readonly text: PseudoText; readonly chunks: number; readonly queries: number },
  onProgress: (chunks: number) => void,
): Promise<GraphIngestFigures> {
  const never = new AbortController().signal;
  const spent = { ingesting: 0, extracting: 0 };
  const names: string[] = [];
  let chunks = 0;
  for (let first = 0; chunks < wanted; first += DOCUMENTS_PER_TURN) {
    const waiting = Array.from({ length: DOCUMENTS_PER_TURN }, (_, index) => {
      const { title, paragraphs } = text.document(first + index);
      const words = paragraphs.map(withNames).join('\n\n');
      names.push(...(words.match(/\p{Lu}\p{L}{4,}/gu) ?? []).slice(0, 3));
      return { kind: 'file' as const, fileName: `${title} ${first + index}.txt`, bytes: Buffer.from(words) };
    });
    const worker = async () => {
      for (let content = waiting.shift(); content !== undefined; content = waiting.shift()) {
        const common = { ownerId: defaultAdmin.userId, metadata: {}, collectionIds: [], settings: {} };
        const { document } = await ingestor.submit({ content, ...common });
        for await (const event of ingestor.run(document.id, never)) if (event.type === 'failed') throw event.error;
      }
    };
    spent.ingesting += await timed(() => Promise.all(Array.from({ length: CONCURRENCY }, worker)));
    spent.extracting += await timed(async () => {
      for await (const step of graph.extraction.run(never)) if (step.outcome === 'failed') throw new Error(step.reason);
    });
    ({ chunks } = await corpus.stats());
    onProgress(chunks);
  }
  const search = await measureSearch(retriever, text, { names, queries });
  const [id = ''] = defaultAdmin.collectionIds;
  await graph.records.pull(id, { force: false });
  const { entities = 0, relationships = 0 } = (await graph.records.graph(id)) ?? {};
  return {
    chunks,
    entities,
    relationships,
    without: spent.ingesting / chunks,
    with: (spent.ingesting + spent.extracting) / chunks,
    search,
  };
}

function measureSearch(
  retriever: Services['retriever'],
  text: PseudoText,
  { names, queries }: { readonly names: readonly string[]; readonly queries: number },
): Promise<GraphIngestFigures['search']> {
  const never = new AbortController().signal;
  const graph = (change: Partial<typeof defaultGraphSettings>) => ({ graph: { ...defaultGraphSettings, ...change } });
  const run = (settings: ReturnType<typeof graph>) => (query: string) =>
    retriever.search(query, { ...defaultSearchSettings, ...settings }, never);
  const inputs = Array.from({ length: queries }, (_, number) => {
    const named = [0, 1].map((place) => names[(number * 7 + place * 3) % names.length] ?? '');
    return `${named.join(' ')} ${text.query(number)}`;
  });
  return interleaved(
    [
      { name: 'with', run: run(graph({})) },
      { name: 'without', run: run(graph({ enabled: false })) },
      { name: 'graph', run: run(graph({ withChunks: false })) },
    ],
    inputs,
    WARM_UPS,
  );
}
