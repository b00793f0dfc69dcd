import type { GraphFigures } from './measure-graph.ts';
import type { IngestRates } from './measure-ingest.ts';
import type { Measured } from './measure-search.ts';
import type { StartFigures } from './measure-start.ts';
import type { Timing } from './timing.ts';

/** All measurements of one run. */
export interface Figures {
  /** ISO-8601. */
  readonly date: string;
  readonly version: string;
  readonly cores: number;
  readonly seed: number;
  readonly ingest: IngestRates;
  readonly graph: GraphFigures;
  readonly sizes: readonly SizeFigures[];
}

export interface SizeFigures {
  readonly chunks: number;
  /** Chunks per second into SQLite, and from there into an empty Chroma. */
  readonly loading: number;
  readonly rebuilding: number;
  /** Load average during the searches; above the number of cores, ratios become unreliable. */
  readonly load: number;
  readonly search: Readonly<Record<Measured, Timing>>;
  readonly start: StartFigures;
  /** Milliseconds from the start of bare Chroma to its first answer to a query; absent in figures of earlier runs. */
  readonly bareStart?: number;
}
