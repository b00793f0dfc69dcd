import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createBackups } from '../backup/create-backups.ts';
import type { Adapters } from '../compose/adapters.ts';
import { closeAll } from '../compose/close-all.ts';
import { defaultSettings, type Settings } from '../compose/settings.ts';
import type { Config } from '../config.ts';
import type { Embedders } from '../embeddings/embedders.ts';
import { learnInWorker } from '../embeddings/lsa/learn-in-worker.ts';
import { createEmbeddingModel, defaultEmbeddingName } from '../embeddings/registry.ts';
import { packagedModel } from '../embeddings/static/static-model.ts';
import { namingSetting, ServiceError } from '../errors.ts';
import { createGraphThread } from '../graph/graph-thread.ts';
import type { HttpLog } from '../http/http-services.ts';
import { embeddingText } from '../ingest/embedding-text.ts';
import { createPreparationWorkers } from '../ingest/prepare-in-worker.ts';
import { MODELS_FOLDER } from '../local-models/catalog.ts';
import { createExternalResources } from '../mcp/external-resources.ts';
import { createExternalTools } from '../mcp/external-tools.ts';
import { createTranscriber } from '../models/create-transcriber.ts';
import { createExtractiveModel } from '../models/extractive/extractive-model.ts';
import type { ModelRegistry } from '../models/model.ts';
import { localProviders } from '../models/model-choices.ts';
import { createModelRegistry } from '../models/registry.ts';
import type { Transcriber } from '../models/transcriber.ts';
import { type DataFolder, openDataFolder } from '../store/data-folder.ts';
import { analyse, analyseQuery } from '../store/full-text/analyse.ts';
import type { ObjectStore } from '../store/originals/object-store.ts';
import type { ProcessRole } from '../store/other-servers.ts';
import { KEY_FILE, readKeyFile } from '../store/secrets/key-file.ts';
import { createSecretBox, type SecretBox } from '../store/secrets/secret-box.ts';
import { openStore, type RecordStoreOptions, type SqlStore } from '../store/sql/open-store.ts';
import type { Store } from '../store/store.ts';
import { deferredMetrics } from '../telemetry/deferred-metrics.ts';
import type { Traces } from '../telemetry/traces.ts';
import { openUserCache } from '../user-cache.ts';
import { readVersion } from '../version.ts';
import { deploymentOf } from './deployment.ts';
import { modelPrices } from './model-prices.ts';
import { openImageReader } from './open-image-reader.ts';
import { openIndex, placeOf, vectorDatabase } from './open-index.ts';
import { openOriginals } from './open-originals.ts';
import { openReranker } from './open-reranker.ts';
import { openSandbox } from './open-sandbox.ts';
import { openWeb } from './open-web.ts';
import { withLocalModel } from './with-local-model.ts';

export interface OpenOptions {
  /** Without it, nothing is logged. */
  readonly log?: HttpLog;
  /** Whether to count requests, searches and calls, if the configuration does not turn metrics off. */
  readonly counts?: boolean;
  /** Role of this process, which is shown to others on the same database. */
  readonly role?: ProcessRole;
}

/**
 * Opens the data folder and all adapters; the only place that names adapters. The vector index starts in the
 * background; until it is ready, searches compare vectors exactly. If it throws, everything is closed again.
 */
export async function openAdapters(
  config: Config,
  { log = silent, counts = false, role = 'command' }: OpenOptions = {},
): Promise<Adapters> {
  const closers: (() => Promise<void>)[] = [];
  try {
    const traces = await openTraces(config.traces, log);
    if (traces !== undefined) closers.push(traces.close);
    const adapters = { ...(await open(config, { log, role }, closers)), ...(traces && { traces }) };
    if (!counts || config.metrics === 'off') return adapters;
    const metrics = deferredMetrics(async () => {
      const { createPrometheusMetrics } = await import('../telemetry/prometheus.ts');
      return createPrometheusMetrics(readVersion());
    });
    return { ...adapters, metrics };
  } catch (error) {
    await closeAll(closers);
    throw error;
  }
}

/** Traces are optional, so a missing package is only logged and does not prevent the start. */
async function openTraces(settings: Config['traces'], log: HttpLog): Promise<Traces | undefined> {
  if (settings === undefined) return undefined;
  const { openOtlpTraces } = await import('../telemetry/open-otlp.ts');
  const warn = (message: string, cause?: unknown) => log.warn({ err: cause }, message);
  try {
    return await openOtlpTraces(settings, { version: readVersion(), warn });
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    warn(error.message);
    return undefined;
  }
}

/** Reading the index takes half a second of processor time for 100,000 chunks. */
const CHROMA_AFTER_MS = 600;

const silent: HttpLog = { info: () => {}, warn: () => {}, error: () => {} };

async function open(
  given: Config,
  { log, role }: Required<Pick<OpenOptions, 'log' | 'role'>>,
  closers: (() => Promise<void>)[],
): Promise<Adapters> {
  const { config, note } = await withLocalModel(given);
  const report = (message: string, cause?: unknown) => log.warn({ err: cause }, message);
  const models = createModelRegistry({
    ...config,
    concurrency: config.modelStreams,
    local: localProviders(config),
    extractive: createExtractiveModel(),
  });
  requireModels(config.models, models);

  const folder = await openDataFolder(config.dataDir);
  closers.push(folder.close);
  const cache = openUserCache(config.cacheDir);
  closers.push(async () => cache.close());
  if (cache.problem !== undefined) report(cache.problem);
  const modelsFolder = join(cache.path, MODELS_FOLDER);
  const reranker = openReranker({ settings: config.reranker, models, modelsFolder });
  // The records are opened before Chroma starts, because they answer searches until it is ready. A server leaves the
  // processor to its first answers.
  const records = Promise.withResolvers<void>();
  const closing = new AbortController();
  const startAfter = records.promise.then(async () => {
    if (role !== 'server') return;
    await sleep(CHROMA_AFTER_MS, undefined, { signal: closing.signal, ref: false }).catch(() => {});
  });
  const index = await openIndex(config, { folder: folder.chromaFolder, cacheFolder: cache.path, log, startAfter });
  closers.push(() => index.close());
  // Closing the index waits for its start, so a start that is still waiting must be released.
  closers.push(async () => {
    closing.abort();
    records.resolve();
  });
  const store = await openRecords(config, { folder, index, report, role });
  records.resolve();
  closers.push(store.close);
  const backups = createBackups({ store, folder, version: readVersion() });

  const readers = createPreparationWorkers({
    maxFileBytes: config.maxFileBytes,
    folder: join(folder.unfinishedFolder, 'reading'),
    imageReader: openImageReader(config.images, { models, cacheFolder: cache.path }),
    transcriber: openTranscriber(config),
  });
  closers.push(readers.close);
  const analyser = { analyse, analyseQuery };
  const web = openWeb(config.web, analyser);
  closers.push(web.close);
  const sandbox = openSandbox(config.sandbox, cache.path, report);
  if (sandbox !== undefined) closers.push(() => sandbox.close());
  const external = createExternalTools({ servers: config.externalServers, version: readVersion(), log });
  closers.push(external.close);

  const embedders = embeddersOf(config, modelsFolder);
  return {
    store,
    backups,
    index,
    embedders,
    models,
    reranker,
    readers,
    graphThread: createGraphThread(),
    analyser,
    web,
    sandbox,
    secrets: openSecrets(config, folder.path),
    external,
    mcpResources: createExternalResources({ servers: config.externalServers, version: readVersion() }),
    deployment: deploymentOf(config, { dataFolder: folder.path, preferredEmbedder: embedders.preferred, note }),
    log,
    settings: { ...settingsOf(config), uploadFolder: join(folder.unfinishedFolder, 'uploads') },
    close: () => closeAll(closers.splice(0)),
  };
}

interface RecordParts extends Pick<RecordStoreOptions, 'index'> {
  readonly folder: DataFolder;
  readonly report: NonNullable<RecordStoreOptions['report']>;
  readonly role: ProcessRole;
}

async function openRecords(config: Config, { folder, role, ...parts }: RecordParts): Promise<Store> {
  const { databaseUrl, databaseMigrate, chroma, versionsKept } = config;
  const objects = await openOriginals(config);
  const options = { ...parts, embeddingText, versionsKept, objects, schema: { mode: databaseMigrate } };
  if (databaseUrl === undefined) {
    return withFilesInSnapshot(await openStore({ ...options, path: folder.databaseFile }), objects);
  }
  // Loaded on demand, so that commands that do not need it start faster.
  const { openPostgresStore } = await import('../store/postgres/open-postgres-store.ts');
  const settings = {
    chroma: vectorDatabase(config) === undefined && chroma !== undefined ? placeOf(chroma) : undefined,
    secretKey: config.secretKey,
    tokenSecret: config.access.accounts.tokenSecret,
  };
  const own = { ...options, url: databaseUrl, role, version: readVersion(), settings };
  const snapshot: NonNullable<Store['snapshot']> = (...given) => snapshotPostgres(databaseUrl, ...given);
  if (vectorDatabase(config) === undefined) {
    return withFilesInSnapshot(
      { ...(await openPostgresStore({ ...own, isAlone: chroma === undefined })), snapshot },
      objects,
    );
  }
  const { nearestIndexed } = await import('../store/pgvector/nearest-indexed.ts');
  return withFilesInSnapshot({ ...(await openPostgresStore({ ...own, nearestIndexed })), snapshot }, objects);
}

/** Makes snapshots include the uploaded files even if these are in an object storage. */
function withFilesInSnapshot(store: SqlStore, objects: ObjectStore | undefined): Store {
  const { snapshot, sqlite: source } = store;
  if (objects === undefined || snapshot === undefined) return store;
  return {
    ...store,
    async snapshot(path, signal, onProgress) {
      const { copyWithFiles } = await import('../store/sql/originals/complete-copy.ts');
      await copyWithFiles({ path, source, objects, signal }, () => snapshot(path, signal, onProgress));
    },
  };
}

async function snapshotPostgres(
  url: string,
  ...[path, signal, onProgress]: Parameters<NonNullable<Store['snapshot']>>
): Promise<void> {
  const { readOneState } = await import('../store/postgres/read-one-state.ts');
  const { copySnapshot } = await import('../store/copy/copy-snapshot.ts');
  await readOneState(url, (database) => copySnapshot(database, { path, signal, onProgress }));
}

/** Fails at start, naming the variable, if a configured model is unknown. */
function requireModels({ quality, fast, reasoning, fallback }: Config['models'], models: ModelRegistry): void {
  const named = [
    ['CITEWELL_MODEL', quality, 'quality'],
    ['CITEWELL_FAST_MODEL', fast, 'fast'],
    ['CITEWELL_REASONING_MODEL', reasoning, 'reasoning'],
    ['CITEWELL_FALLBACK_MODEL', fallback, 'quality'],
  ] as const;
  for (const [variable, name, slot] of named) {
    if (name !== undefined) namingSetting(variable, () => models.resolve(name, slot));
  }
}

/** Fails at start, naming the variable, if the provider is unknown. */
const openTranscriber = (config: Config): Transcriber | undefined => {
  const name = config.transcriber;
  return name === undefined ? undefined : namingSetting('CITEWELL_TRANSCRIBER', () => createTranscriber(name, config));
};

const openSecrets = ({ secretKey, databaseUrl }: Config, folder: string): SecretBox =>
  createSecretBox(async () => {
    if (secretKey !== undefined) return secretKey;
    if (databaseUrl === undefined) return readKeyFile(join(folder, KEY_FILE));
    throw new ServiceError(
      'not_configured',
      'Credentials of sources are stored encrypted. Set CITEWELL_SECRET_KEY to the same long random text on every server of this database, such as what "openssl rand -base64 32" prints.',
    );
  });

const embeddersOf = (config: Config, modelsFolder: string): Embedders => ({
  required: config.embeddingModel,
  preferred: config.embeddingModel ?? defaultEmbeddingName(config),
  create: (name) => createEmbeddingModel(name, { ...config, modelsFolder, local: localProviders(config) }),
  packaged: packagedModel,
  learn: learnInWorker,
});

const settingsOf = (config: Config): Settings => ({
  accounts: config.access.accounts,
  admins: config.access.admins,
  prices: modelPrices(config),
  graph: config.graph,
  writesSummaries: config.summaries === 'model',
  queuesUploads: config.ingest === 'queue',
  takesTasks: config.cluster.takesTasks,
  policy: {
    codeAfterUntrusted: config.afterUntrusted.includes('code'),
    newAddressesAfterUntrusted: config.afterUntrusted.includes('addresses'),
    actionsAfterUntrusted: config.afterUntrusted.includes('actions'),
  },
  contextTokens: config.contextTokens,
  graceMs: config.resumeSeconds * 1000,
  limits: {
    ...defaultSettings.limits,
    request: config.requestSeconds * 1000,
    file: config.maxFileBytes ?? defaultSettings.limits.file,
  },
  opensMetrics: config.metrics === 'open',
  trustedProxies: config.trustedProxies,
  allowedFolders: config.allowedFolders,
});
