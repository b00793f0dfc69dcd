import type { ImageReader, Picture } from './readers/image/image-reader.ts';
import type { TesseractSettings } from './tesseract-image-reader.ts';

/** Where pictures are read: by OCR in the reading process, or by a reader in the service, such as a model. */
export type ImageReaderSource =
  | ({ readonly kind: 'tesseract' } & TesseractSettings)
  | { readonly kind: 'asked'; readonly see: ImageReader };

/** The part of it that is sent to a reading process. */
export type ImageReaderChoice = Exclude<ImageReaderSource, { kind: 'asked' }> | { readonly kind: 'asked' };

/** Messages of a reading process while it reads. */
export type ImageReaderMessage =
  /** A picture is being read in the process itself, which restarts the time limit. */
  { readonly kind: 'seeing' } | { readonly kind: 'see'; readonly number: number; readonly picture: Picture };

export const imageReaderChoice = (source: ImageReaderSource | undefined): ImageReaderChoice | undefined =>
  source?.kind === 'asked' ? { kind: 'asked' } : source;
