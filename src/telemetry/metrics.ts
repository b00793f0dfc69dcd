import type { Usage } from '../models/model.ts';
import type { SandboxOccupancy } from '../sandbox/sandbox.ts';

/** What a service counts while it runs. Implementations bound the number of distinct routes and models they keep. */
export interface Metrics {
  /** `route` is a pattern such as `/v3/documents/:id`. */
  request(facts: {
    readonly method: string;
    readonly route: string;
    readonly status: number;
    readonly seconds: number;
  }): void;
  /** One search, with the seconds of each leg that ran. */
  search(facts: { readonly kind: string; readonly legs: Readonly<Record<string, number>> }): void;
  /** Part of a search that is not among its legs, such as that of the graph. */
  searchLeg(facts: { readonly leg: string; readonly seconds: number }): void;
  /** One answer of a model. `usage` is absent where it failed; `dollars` where its price is unknown. */
  modelCall(facts: {
    readonly model: string;
    readonly outcome: 'ok' | 'failed' | 'cancelled';
    readonly seconds: number;
    readonly usage?: Usage;
    readonly dollars?: number | undefined;
  }): void;
  /** Tokens that an embedding model read in one request. */
  embedding(facts: { readonly model: string; readonly tokens: number; readonly dollars?: number | undefined }): void;
  /** One call of Python. */
  sandboxRun(facts: { readonly outcome: 'ok' | 'failed'; readonly seconds: number }): void;
  /** Reads how full the sandbox is whenever the metrics are read. */
  watchSandbox(occupancy: () => SandboxOccupancy): void;
  /** Everything counted, and these values as they are now, in the text format of Prometheus. */
  render(now: MomentaryValues): Promise<{ readonly contentType: string; readonly text: string }>;
}

/** What is asked for when the metrics are read. */
export interface MomentaryValues {
  readonly queue: {
    readonly queued: number;
    readonly running: number;
    readonly failed: number;
    /** Age of the oldest queued task; 0 without one. */
    readonly oldestSeconds: number;
  };
  readonly index: 'ready' | 'checking' | 'rebuilding' | 'unavailable';
  readonly pendingIndexWrites: number;
  /** By status of ingestion. */
  readonly documents: Readonly<Record<string, number>>;
  readonly chunks: number;
  /** Whether the storage of the uploaded files answers, where they are not in the database. */
  readonly originals?: 'ready' | 'unavailable';
  /** Processes on the same database, where it is shared. */
  readonly processes?: readonly { readonly role: string }[];
}
