import type { Picture, Sight } from './readers/sight.ts';
import type { TesseractSettings } from './tesseract-sight.ts';

/** Who reads pictures: the recogniser beside the reader of documents, or somebody the service asks, such as a model. */
export type SightSource =
  | ({ readonly kind: 'tesseract' } & TesseractSettings)
  | { readonly kind: 'asked'; readonly see: Sight };

/** What a reading process is told of it. */
export type ToldSight = Exclude<SightSource, { kind: 'asked' }> | { readonly kind: 'asked' };

/** What a reading process says while it reads. */
export type SightMessage =
  /** A picture is looked at in the process itself, which starts its time anew. */
  { readonly kind: 'seeing' } | { readonly kind: 'see'; readonly number: number; readonly picture: Picture };

export const toldSight = (source: SightSource | undefined): ToldSight | undefined =>
  source?.kind === 'asked' ? { kind: 'asked' } : source;
