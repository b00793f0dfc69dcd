import { count } from '../../src/cli/progress-line.ts';
import type { SizeFigures } from './figures.ts';
import type { Engine, EngineFigures, EngineIngestFigures, PerEngine } from './measure-engines.ts';
import type { GraphFigures } from './measure-graph.ts';
import type { GraphIngestFigures } from './measure-graph-ingest.ts';
import type { IngestRates } from './measure-ingest.ts';
import { builtIn, type LearningFigures } from './measure-learning.ts';
import type { PeerFigures } from './measure-peers.ts';
import { kinds, type Measured, shares } from './measure-search.ts';
import type { ResidentMemory } from './measure-start.ts';
import type { Timing } from './timing.ts';

/** The figures of ingestion as Markdown. */
export function ingestLines({ chunks, ours, bare }: IngestRates): string[] {
  return [
    `Ingestion of ${count(chunks)} chunks`,
    '',
    ...table([
      ['', 'chunks/s', 'ratio'],
      ['bare embed + insert into Chroma', bare.toFixed(0), '1.00'],
      ['files through the ingestor', ours.toFixed(0), ratio(ours, bare)],
    ]),
    '',
  ];
}

/** The figures of graph extraction as Markdown, compared with the time of ingestion per chunk without it. */
export function graphLines(
  { chunks, milliseconds, entities, relationships }: GraphFigures,
  { ours }: IngestRates,
): string[] {
  return [
    `Graph extraction without a model of ${count(chunks)} chunks, beside ingestion without it`,
    '',
    ...table([
      ['', 'ms/chunk', 'ratio'],
      ['files through the ingestor', (1000 / ours).toFixed(2), '1.00'],
      ['extraction, processor time of one thread', milliseconds.toFixed(2), ratio(milliseconds, 1000 / ours)],
    ]),
    '',
    `${entities.toFixed(1)} entities and ${relationships.toFixed(1)} relationships for each chunk.`,
    '',
  ];
}

/** The cost of the graph in complete ingestion and search, as Markdown. */
export function graphIngestLines(figures: GraphIngestFigures): string[] {
  const { chunks, entities, relationships, search } = figures;
  return [
    `${count(chunks)} chunks through the ingestor with and without the graph: ${count(entities)} entities, ${count(relationships)} relationships`,
    '',
    ...table([
      ['', 'without', 'with', 'ratio'],
      ['taken in, ms/chunk', figures.without.toFixed(2), figures.with.toFixed(2), ratio(figures.with, figures.without)],
      ['a search, ms p50 / p95', both(search.without), both(search.with), ratio(search.with.p50, search.without.p50)],
      ['the graph alone, ms p50 / p95', '', both(search.graph)],
    ]),
    '',
  ];
}

/** The figures of one size as Markdown. */
export function sizeLines(figures: SizeFigures): string[] {
  const { chunks, loading, rebuilding, start, bareStart } = figures;
  return [
    `${count(chunks)} chunks: search, milliseconds p50 / p95 (load average ${figures.load.toFixed(1)})`,
    '',
    ...table(searchRows(figures)),
    '',
    `${count(chunks)} chunks: start and memory`,
    '',
    ...table([
      ['', ''],
      ['process start to first answer', `${start.answers.toFixed(0)} ms`],
      ['to the first search answered', `${start.searches.toFixed(0)} ms${besideBare(start.searches, bareStart)}`],
      ['to an index compared with the records', `${start.inStep.toFixed(0)} ms`],
      ['a hybrid search until then, p50', `${start.meanwhile.toFixed(0)} ms`],
      [
        'a hybrid search afterwards, p50',
        `${start.warm.toFixed(0)} ms: ratio ${(start.meanwhile / start.warm).toFixed(2)}`,
      ],
      ['SIGTERM to the end', `${start.stops.toFixed(0)} ms`],
      ['memory of the server, at start, after searches and at rest', megabytes(start.server)],
      ['memory of Chroma, at start, after searches and at rest', megabytes(start.chroma)],
      ['chunks into the records', `${loading.toFixed(0)}/s`],
      ['chunks from the records into an empty index', `${rebuilding.toFixed(0)}/s`],
    ]),
    '',
  ];
}

const besideBare = (milliseconds: number, bare: number | undefined): string =>
  bare === undefined ? '' : `; bare Chroma ${bare.toFixed(0)} ms: ratio ${(milliseconds / bare).toFixed(2)}`;

/** The cost of training an embedder, as Markdown. */
export function learningLines(figures: LearningFigures): string[] {
  const { chunks, chunksRead, learning, peak, kept, loading, embedding, search } = figures;
  const { learned: all, 'its LSA alone': alone } = search;
  return [
    `Learning from ${count(chunks)} chunks, of which ${count(chunksRead)} are read`,
    '',
    ...table([
      ['', ...builtIn, 'learned ÷ LSA alone'],
      ['learning', `${(learning / 1000).toFixed(1)} s`],
      ['memory it takes at most', `${peak.toFixed(0)} MB`],
      ['memory and disk it keeps', `${kept.toFixed(0)} MB`],
      ['first vector after', '', '', `${loading.milliseconds.toFixed(0)} ms, ${loading.megabytes.toFixed(0)} MB`],
      [
        'chunks embedded a second',
        ...builtIn.map((name) => embedding[name].toFixed(0)),
        ratio(embedding.learned, embedding['its LSA alone']),
      ],
      [
        'a query compared with all, ms p50 / p95',
        ...builtIn.map((name) => both(search[name])),
        ratio(all.p50, alone.p50),
      ],
    ]),
    '',
  ];
}

/** Search compared with other libraries, as Markdown. */
export function peerLines({ chunks, load, filling, words, near }: PeerFigures): string[] {
  const own = Object.keys(words)[0] ?? '';
  const cells = (leg: PeerFigures['words'], name: string) => {
    const [timing, ours] = [leg[name], leg[own]];
    return timing && ours ? [both(timing), ratio(timing.p50, ours.p50)] : ['', ''];
  };
  const rows = Object.keys(words).map((name) => [
    name,
    ...cells(words, name),
    ...cells(near, name),
    filling[name]?.toFixed(0) ?? '',
  ]);
  const head = ['', 'words', '÷ ours', 'vectors', '÷ ours', 'filled, chunks/s'];
  return [
    `${count(chunks)} chunks beside other libraries in one process, milliseconds p50 / p95 (load average ${load.toFixed(1)})`,
    '',
    ...table([head, ...rows]),
    '',
  ];
}

/** Searches on PostgreSQL compared with SQLite, as Markdown. */
export function engineSearchLines({ engines, chunks, load, search }: EngineFigures): string[] {
  const times = ({ name, timing }: EngineFigures['search'][number]) => [
    name.replace('_', ' '),
    timing.SQLite === undefined ? '' : both(timing.SQLite),
    ...besideSqlite(engines).flatMap((engine) => {
      const [one, other] = [timing.SQLite, timing[engine]];
      return one === undefined || other === undefined ? ['', ''] : [both(other), ratio(other.p50, one.p50)];
    }),
  ];
  return [
    `${count(chunks)} chunks on each engine, milliseconds p50 / p95 (load average ${load.toFixed(1)})`,
    '',
    ...table([headOf(engines), ...search.map(times)]),
    '',
  ];
}

/** Ingestion on PostgreSQL compared with SQLite, as Markdown. */
export function engineIngestLines({ engines, chunks, ingest, loading }: EngineIngestFigures): string[] {
  const rates = (name: string, rate: PerEngine<number>) => [
    name,
    rate.SQLite === undefined ? '' : `${rate.SQLite.toFixed(0)}/s`,
    ...besideSqlite(engines).flatMap((engine) => {
      const [one, other] = [rate.SQLite, rate[engine]];
      return one === undefined || other === undefined ? ['', ''] : [`${other.toFixed(0)}/s`, ratio(one, other)];
    }),
  ];
  const rows = [
    ...(ingest ? [rates('files through the ingestor, chunks', ingest)] : []),
    ...(Object.keys(loading).length > 0 ? [rates('chunks into the records alone', loading)] : []),
  ];
  if (rows.length === 0) return [];
  return [`Ingestion beside ${count(chunks)} chunks on each engine`, '', ...table([headOf(engines), ...rows]), ''];
}

const besideSqlite = (engines: readonly Engine[]) => engines.filter((engine) => engine !== 'SQLite');

const headOf = (engines: readonly Engine[]): string[] => [
  '',
  'SQLite',
  ...besideSqlite(engines).flatMap((engine) => [`PostgreSQL, ${engine === 'pgvector' ? engine : 'Chroma'}`, 'times']),
];

function searchRows({ search }: SizeFigures): string[][] {
  const bareOf = { semantic: 'bare Chroma', full_text: 'bare FTS5', hybrid: null } as const;
  const head = ['', 'no filter', ...shares.map(percent), ...shares.map((share) => `first use of ${percent(share)}`)];
  const rows = kinds.map((kind) => {
    const names: Measured[] = [
      `${kind}, no filter`,
      ...shares.map((share): Measured => `${kind}, ${share}`),
      ...shares.map((share): Measured => `${kind}, first use of ${share}`),
      `${kind}, after a write`,
    ];
    const none = search[`${kind}, no filter`];
    const bare = bareOf[kind];
    const slower = Math.max(search['semantic, no filter'].p50, search['full_text, no filter'].p50);
    return [
      kind.replace('_', ' '),
      ...names.map((name) => both(search[name])),
      bare === null ? '' : ratio(none.p50, search[bare].p50),
      kind === 'hybrid' ? ratio(none.p50, slower) : '',
      ...shares.map((share) => ratio(search[`${kind}, ${share}`].p50, none.p50)),
    ];
  });
  const bares = (['bare Chroma', 'bare FTS5'] as const).map((name) => [name, both(search[name])]);
  const ratios = ['after a write', '÷ bare', '÷ slower leg', ...shares.map((share) => `${percent(share)} ÷ none`)];
  return [[...head, ...ratios], ...bares, ...rows];
}

const percent = (share: number): string => `${100 * share} %`;
const both = ({ p50, p95 }: Timing): string => `${p50.toFixed(1)} / ${p95.toFixed(1)}`;
const ratio = (one: number, other: number): string => (one / other).toFixed(2);
const megabytes = ({ atStart, afterSearches, atRest }: ResidentMemory): string =>
  `${atStart}, ${afterSearches}${atRest === undefined ? '' : ` and ${atRest}`} MB`;

/** A Markdown table; the first row is the header. */
export function table(rows: readonly (readonly string[])[]): string[] {
  const columns = Math.max(...rows.map(({ length }) => length));
  const widths = Array.from({ length: columns }, (_, column) =>
    Math.max(3, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const line = (row: readonly string[]) =>
    `| ${widths.map((width, column) => (row[column] ?? '').padEnd(width)).join(' | ')} |`;
  const [head = [], ...others] = rows;
  return [line(head), `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`, ...others.map(line)];
}
