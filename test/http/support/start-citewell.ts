import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AccountSettings } from '../../../src/access/accounts.ts';
import { createAuthenticator } from '../../../src/access/authenticator.ts';
import type { Authenticate } from '../../../src/access/credentials.ts';
import { defaultAdmin } from '../../../src/access/principal.ts';
import { compose } from '../../../src/compose/compose.ts';
import type { Services } from '../../../src/compose/services.ts';
import type { EmbeddingModel } from '../../../src/embeddings/embedding-model.ts';
import { createLexicalHash } from '../../../src/embeddings/lexical-hash.ts';
import type { Mount } from '../../../src/http/app.ts';
import type { HttpServices } from '../../../src/http/http-services.ts';
import { embeddingText } from '../../../src/ingest/embedding-text.ts';
import { createExtractiveModel } from '../../../src/models/extractive/extractive-model.ts';
import { createModelRegistry, type ModelSettings } from '../../../src/models/registry.ts';
import type { McpServers } from '../../../src/sources/mcp/mcp-servers.ts';
import { memoryVectorIndex } from '../../../src/store/memory/memory-vector-index.ts';
import { openPostgresStore } from '../../../src/store/postgres/open-postgres-store.ts';
import type { SecretBox } from '../../../src/store/secrets/secret-box.ts';
import { openStore } from '../../../src/store/sql/open-store.ts';
import type { Metrics } from '../../../src/telemetry/metrics.ts';
import type { Traces } from '../../../src/telemetry/traces.ts';
import type { Web } from '../../../src/web/web.ts';
import { adaptersOver, onlyEmbedder, testSettings } from '../../support/adapters.ts';
import { migratedDatabase } from '../../support/migrated-database.ts';
import { type RunningHttp, startHttp } from './start-http.ts';

export interface CitewellOptions {
  readonly limits?: HttpServices['limits'];
  /** Keeps uploads while they arrive. */
  readonly uploadFolder?: string;
  readonly trustedProxies?: readonly string[];
  readonly authenticate?: Authenticate;
  /** Account settings. */
  readonly accounts?: Partial<AccountSettings>;
  /** Rejects requests without credentials. */
  readonly isRequired?: boolean;
  /** The default admin has the password that test suites use. */
  readonly hasTestAdmin?: boolean;
  /** Uploads are answered once they are queued, as with CITEWELL_INGEST=queue. */
  readonly queues?: boolean;
  /** Language models; none by default. */
  readonly models?: ModelSettings;
  /** Milliseconds a stream waits for a disconnected client. */
  readonly grace?: number;
  /** One that knows words alone by default. */
  readonly embedder?: EmbeddingModel;
  /** Called with the texts that are embedded. */
  readonly onEmbed?: (texts: readonly string[]) => void;
  /** Folders below which others may be followed. */
  readonly allowedFolders?: readonly string[];
  /** Models to choose from; none by default. */
  readonly modelChoices?: HttpServices['modelChoices'];
  /** Counts requests; nothing does by default. */
  readonly metrics?: Metrics;
  readonly traces?: Traces;
  /** Whether everybody may read the metrics. */
  readonly opensMetrics?: boolean;
  /** Access to the web; none by default. */
  readonly web?: Web;
  /** MCP servers whose resources may be followed; none by default. */
  readonly mcpResources?: McpServers;
  /** Encrypts credentials; none can be kept by default. */
  readonly secrets?: SecretBox;
  /** Continues background work of an earlier start. */
  readonly resumes?: boolean;
  /** Data folder of an earlier start, which stays; a new one by default. */
  readonly folder?: string;
  /** Address of a PostgreSQL database that keeps everything instead. */
  readonly database?: string;
  /** An additional interface over the same services. */
  readonly mount?: (services: MountedServices) => Mount;
}

export type MountedServices = Services & { readonly authenticate: Authenticate };

/** Wraps an embedder to count its calls. */
const watchedEmbedder = (model: EmbeddingModel, onEmbed: CitewellOptions['onEmbed']): EmbeddingModel => ({
  ...model,
  embed(texts, kind, signal, given) {
    if (kind === 'passage') onEmbed?.(texts);
    return model.embed(texts, kind, signal, given);
  },
});

/** The whole service over loopback on an empty corpus. */
export async function startCitewell(options: CitewellOptions = {}): Promise<RunningHttp> {
  const folder = options.folder ?? (await mkdtemp(join(tmpdir(), 'citewell-http-')));
  const index = memoryVectorIndex();
  const file = join(folder, 'citewell.db');
  const openFile = async () =>
    openStore({
      path: existsSync(file) ? file : await migratedDatabase(file),
      index,
      embeddingText,
      readers: 1,
    });
  const store =
    options.database === undefined
      ? await openFile()
      : await openPostgresStore({ url: options.database, index, embeddingText, readers: 2 });
  const adapters = adaptersOver(
    { ...store, index },
    {
      embedders: onlyEmbedder(watchedEmbedder(options.embedder ?? createLexicalHash(), options.onEmbed)),
      ...(options.web && { web: options.web }),
      ...(options.mcpResources && { mcpResources: options.mcpResources }),
      ...(options.secrets && { secrets: options.secrets }),
      ...(options.metrics && { metrics: options.metrics }),
      ...(options.traces && { traces: options.traces }),
      models: createModelRegistry({ extractive: createExtractiveModel(), ...options.models }),
      settings: {
        ...testSettings,
        accounts: { ...testSettings.accounts, ...options.accounts },
        admins: { knowsTestPassword: options.hasTestAdmin ?? false },
        opensMetrics: options.opensMetrics ?? false,
        queuesUploads: options.queues ?? false,
        graceMs: options.grace ?? 50,
        ...(options.allowedFolders && { allowedFolders: options.allowedFolders }),
        ...(options.limits && { limits: options.limits }),
        uploadFolder: options.uploadFolder,
        ...(options.trustedProxies && { trustedProxies: options.trustedProxies }),
      },
    },
  );
  const services = await compose(adapters).start({ resumes: options.resumes ?? false });
  const authenticate =
    options.authenticate ??
    createAuthenticator({
      keys: [],
      localToken: () => undefined,
      userAuthenticator: services.accounts.userAuthenticator,
      ...(!options.isRequired && { anonymous: defaultAdmin }),
    });
  const mounts = options.mount === undefined ? [] : [options.mount({ ...services, authenticate })];
  const { log: _, ...composed } = services;
  const served = { ...composed, ...(options.modelChoices && { modelChoices: options.modelChoices }) };
  const http = await startHttp(served, authenticate, undefined, mounts);
  return {
    ...http,
    async close() {
      await http.close();
      await services.close();
      await store.close();
      if (options.folder === undefined) await rm(folder, { recursive: true, force: true });
    },
  };
}
