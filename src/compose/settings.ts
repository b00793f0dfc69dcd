import { type AccountSettings, defaultAccountSettings } from '../access/accounts.ts';
import type { AdminOptions } from '../access/ensure-admins.ts';
import { type ContainmentPolicy, strictPolicy } from '../agent/containment.ts';
import type { GraphServiceSettings } from '../graph/graph-service.ts';
import { defaultHttpLimits, type HttpLimits } from '../http/http-services.ts';
import { listPrices, type PriceTable } from '../models/prices.ts';

/** Settings of the product itself; adapters get theirs when they are opened. */
export interface Settings {
  readonly accounts: AccountSettings;
  readonly admins: AdminOptions;
  /** US dollars per million tokens. */
  readonly prices: PriceTable;
  readonly graph: GraphServiceSettings;
  /** Whether a language model, if configured, summarises documents. */
  readonly writesSummaries: boolean;
  /** Whether uploads are queued by default. */
  readonly queuesUploads: boolean;
  /** Whether tasks are worked on in the background: uploads, graphs, summaries, followed sources. */
  readonly takesTasks: boolean;
  /** Restricts the actions of a run after it has read untrusted text. */
  readonly policy: ContainmentPolicy;
  /** Context window of the models in tokens; limits passages, and longer conversations are summarised. */
  readonly contextTokens: number;
  /** Milliseconds that an agent's run continues after its reader disconnected. */
  readonly graceMs: number;
  readonly limits: HttpLimits;
  /** Folder for uploads while they arrive; undefined uses the temporary folder of the system. */
  readonly uploadFolder?: string | undefined;
  /** Whether everybody may read the metrics, or superusers only. */
  readonly opensMetrics: boolean;
  /** Addresses and networks of proxies whose X-Forwarded-For is trusted. */
  readonly trustedProxies: readonly string[];
  /** Absolute paths; superusers may have folders below them followed. */
  readonly allowedFolders: readonly string[];
}

/** Defaults for a single user on their own machine. */
export const defaultSettings: Settings = {
  accounts: defaultAccountSettings,
  admins: { knowsTestPassword: false },
  prices: listPrices,
  graph: { isAutomatic: false },
  writesSummaries: false,
  queuesUploads: false,
  takesTasks: true,
  policy: strictPolicy,
  contextTokens: 128_000,
  graceMs: 5_000,
  limits: defaultHttpLimits,
  opensMetrics: false,
  trustedProxies: [],
  allowedFolders: [],
};
