import type { Usage } from '../models/model.ts';
import type { SandboxOccupancy } from '../sandbox/sandbox.ts';

/** Metrics of a running service. Implementations bound the number of distinct routes and models they keep. */
export interface Metrics {
  /** `route` is a pattern such as `/v3/documents/:id`. */
  request(facts: {
    readonly method: string;
    readonly route: string;
    readonly status: number;
    readonly seconds: number;
  }): void;
  /** One search, with the seconds of each leg that ran. `refused` is an error that the caller can correct. */
  search(facts: {
    readonly kind: string;
    readonly outcome: 'ok' | 'refused' | 'failed' | 'cancelled';
    readonly legs: Readonly<Record<string, number>>;
  }): void;
  /** Part of a search that is measured separately from its legs, such as the graph search. */
  searchLeg(facts: { readonly leg: string; readonly seconds: number }): void;
  /** One answer of a model. `usage` is absent if it failed, `dollars` if the price is unknown. */
  modelCall(facts: {
    readonly model: string;
    readonly outcome: 'ok' | 'failed' | 'cancelled';
    readonly seconds: number;
    readonly usage?: Usage;
    readonly dollars?: number | undefined;
  }): void;
  /** Number of tokens that an embedding model read in one request. */
  embedding(facts: { readonly model: string; readonly tokens: number; readonly dollars?: number | undefined }): void;
  /** One run of Python code. */
  sandboxRun(facts: { readonly outcome: 'ok' | 'failed'; readonly seconds: number }): void;
  /** Registers a function that is called for the occupancy of the sandbox whenever the metrics are rendered. */
  watchSandbox(occupancy: () => SandboxOccupancy): void;
  /** All metrics, together with these current values, in the text format of Prometheus. */
  render(now: MomentaryValues): Promise<{ readonly contentType: string; readonly text: string }>;
}

/** Values that are determined when the metrics are read. */
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
  /** Number of documents by ingestion status. */
  readonly documents: Readonly<Record<string, number>>;
  readonly chunks: number;
  /** State of the object storage for uploaded files; absent if they are in the database. */
  readonly originals?: 'ready' | 'unavailable';
  /** Processes that use the same database; absent if it is not shared. */
  readonly processes?: readonly { readonly role: string }[];
}
