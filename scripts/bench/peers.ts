import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

/** A chunk as given to the peers. */
export interface PeerRecord {
  readonly id: number;
  readonly text: string;
  readonly vector: Float32Array;
}

/** A search library filled with the records of the bench. */
export interface Peer {
  readonly name: string;
  /** Searches for any of the words; returns the number of hits. */
  words(query: string): Promise<number>;
  near?(vector: Float32Array): Promise<number>;
}

const LIMIT = 10;

/** Pinned, so that runs are comparable. LanceDB's optional dependencies (models and their runtime) are omitted. */
const PACKAGES = ['minisearch@7.2.0', '@orama/orama@3.1.18', '@lancedb/lancedb@0.39.0', 'apache-arrow@18.1.0'];
const NATIVE_LANCE = `@lancedb/lancedb-${process.platform}-${process.arch}${suffix()}@0.39.0`;

function suffix(): string {
  return process.platform === 'linux' ? '-gnu' : process.platform === 'win32' ? '-msvc' : '';
}

/** Installs the peers into a folder of their own, without running their scripts. */
export async function installPeers(folder: string): Promise<void> {
  await writeFile(join(folder, 'package.json'), '{"private":true}\n');
  const flags = ['--no-audit', '--no-fund', '--ignore-scripts', '--omit=optional'];
  await promisify(execFile)('npm', ['install', ...flags, ...PACKAGES, NATIVE_LANCE], { cwd: folder });
}

/** Opens and fills each peer; `onFilled` receives the milliseconds it took. */
export async function openPeers(
  folder: string,
  records: readonly PeerRecord[],
  onFilled: (name: string, milliseconds: number) => void,
): Promise<Peer[]> {
  const peers: Peer[] = [];
  for (const [name, open] of Object.entries({ MiniSearch: openMiniSearch, Orama: openOrama, LanceDB: openLance })) {
    const startedAt = performance.now();
    peers.push({ name, ...(await open(folder, records)) });
    onFilled(name, performance.now() - startedAt);
  }
  return peers;
}

type Opened = Omit<Peer, 'name'>;

// The packages are not installed when types are checked, so the calls in use are declared in this file.
async function load<Module>(folder: string, name: string): Promise<Module> {
  const file = createRequire(join(folder, 'package.json')).resolve(name);
  const loaded = (await import(pathToFileURL(file).href)) as { readonly default?: Module } & Module;
  return loaded.default ?? loaded;
}

type MiniSearchClass = new (options: {
  readonly fields: readonly string[];
}) => { addAll(records: readonly object[]): void; search(query: string): readonly unknown[] };

async function openMiniSearch(folder: string, records: readonly PeerRecord[]): Promise<Opened> {
  const MiniSearch = await load<MiniSearchClass>(folder, 'minisearch');
  const index = new MiniSearch({ fields: ['text'] });
  index.addAll(records.map(({ id, text }) => ({ id, text })));
  // MiniSearch has no limit: it ranks all matches.
  return { words: async (query) => index.search(query).slice(0, LIMIT).length };
}

interface OramaModule {
  create(options: { readonly schema: Readonly<Record<string, string>> }): unknown;
  insertMultiple(database: unknown, records: readonly object[]): Promise<unknown> | unknown;
  search(database: unknown, query: object): Promise<OramaResult> | OramaResult;
}

interface OramaResult {
  readonly hits: readonly unknown[];
}

async function openOrama(folder: string, records: readonly PeerRecord[]): Promise<Opened> {
  const { create, insertMultiple, search } = await load<OramaModule>(folder, '@orama/orama');
  const dimensions = records[0]?.vector.length ?? 0;
  const database = create({ schema: { text: 'string', vector: `vector[${dimensions}]` } });
  await insertMultiple(
    database,
    records.map(({ id, text, vector }) => ({ id: String(id), text, vector: Array.from(vector) })),
  );
  return {
    words: async (term) => (await search(database, { term, limit: LIMIT })).hits.length,
    near: async (value) => {
      const vector = { value: Array.from(value), property: 'vector' };
      return (await search(database, { mode: 'vector', vector, similarity: 0, limit: LIMIT })).hits.length;
    },
  };
}

interface LanceModule {
  connect(folder: string): Promise<{ createTable(name: string, records: readonly object[]): Promise<LanceTable> }>;
  readonly Index: { fts(): unknown; hnswSq(options: object): unknown };
}

interface LanceTable {
  createIndex(column: string, options: { readonly config: unknown }): Promise<void>;
  search(query: string, type: 'fts', columns: readonly string[]): LanceQuery;
  vectorSearch(vector: readonly number[]): LanceQuery;
}

interface LanceQuery {
  distanceType(name: 'cosine'): LanceQuery;
  select(columns: readonly string[]): LanceQuery;
  limit(limit: number): LanceQuery;
  toArray(): Promise<readonly unknown[]>;
}

async function openLance(folder: string, records: readonly PeerRecord[]): Promise<Opened> {
  const { connect, Index } = await load<LanceModule>(folder, '@lancedb/lancedb');
  const rows = records.map(({ id, text, vector }) => ({ id, text, vector: Array.from(vector) }));
  const table = await (await connect(join(folder, 'lance'))).createTable('chunks', rows);
  await table.createIndex('text', { config: Index.fts() });
  await table.createIndex('vector', { config: Index.hnswSq({ distanceType: 'cosine', numPartitions: 1 }) });
  const count = async (query: LanceQuery, score: string) =>
    (await query.select(['id', 'text', score]).limit(LIMIT).toArray()).length;
  return {
    words: (query) => count(table.search(query, 'fts', ['text']), '_score'),
    near: (vector) => count(table.vectorSearch(Array.from(vector)).distanceType('cosine'), '_distance'),
  };
}
