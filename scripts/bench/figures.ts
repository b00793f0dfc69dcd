import type { GraphFigures } from './measure-graph.ts';
import type { IngestRates } from './measure-ingest.ts';
import type { Measured } from './measure-search.ts';
import type { StartFigures } from './measure-start.ts';
import type { Timing } from './timing.ts';

/** Everything one run measured. */
export interface Figures {
  readonly cores: number;
  readonly seed: number;
  readonly ingest: IngestRates;
  readonly graph: GraphFigures;
  readonly sizes: readonly SizeFigures[];
}

export interface SizeFigures {
  readonly chunks: number;
  /** Chunks per second into the records, and from there into a Chroma that lacks them. */
  readonly loading: number;
  readonly rebuilding: number;
  /** How many processes wanted a core while searches were measured, ours among them: above the cores, ratios blur. */
  readonly load: number;
  readonly search: Readonly<Record<Measured, Timing>>;
  readonly start: StartFigures;
}
