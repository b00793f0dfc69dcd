import { type AccountSettings, defaultAccountSettings } from '../access/accounts.ts';
import type { AdminOptions } from '../access/ensure-admins.ts';
import { type ContainmentPolicy, strictPolicy } from '../agent/containment.ts';
import type { GraphServiceSettings } from '../graph/graph-service.ts';
import { defaultHttpLimits, type HttpLimits } from '../http/http-services.ts';
import { listPrices, type PriceTable } from '../models/prices.ts';

/** Settings of the product itself; what an adapter is set to, it was opened with. */
export interface Settings {
  readonly accounts: AccountSettings;
  readonly admins: AdminOptions;
  /** US dollars per million tokens. */
  readonly prices: PriceTable;
  readonly graph: GraphServiceSettings;
  /** Whether a language model summarises documents, where one is configured. */
  readonly writesSummaries: boolean;
  /** Whether an upload is answered once it is queued. */
  readonly queuesUploads: boolean;
  /** What a run may still do after it has read untrusted text. */
  readonly policy: ContainmentPolicy;
  /** Tokens a language model reads at once; longer conversations are summarised. */
  readonly contextTokens: number;
  /** Milliseconds an agent's stream goes on after its reader left. */
  readonly graceMs: number;
  readonly limits: HttpLimits;
  /** Addresses and networks of proxies whose X-Forwarded-For is trusted. */
  readonly trustedProxies: readonly string[];
}

/** A deployment of one person on their own machine. */
export const defaultSettings: Settings = {
  accounts: defaultAccountSettings,
  admins: { knowsTestPassword: false },
  prices: listPrices,
  graph: { isAutomatic: false },
  writesSummaries: false,
  queuesUploads: false,
  policy: strictPolicy,
  contextTokens: 128_000,
  graceMs: 5_000,
  limits: defaultHttpLimits,
  trustedProxies: [],
};
