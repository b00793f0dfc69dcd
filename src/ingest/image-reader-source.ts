import type { ImageReader, Picture } from './readers/image/image-reader.ts';
import type { TesseractSettings } from './tesseract-image-reader.ts';

/** Where pictures are read: by OCR in the reading process, or by a reader in the service, such as a model. */
export type ImageReaderSource =
  | ({ readonly kind: 'tesseract' } & TesseractSettings)
  | { readonly kind: 'remote'; readonly readImage: ImageReader };

/** The part of it that is sent to a reading process. */
export type ImageReaderChoice = Exclude<ImageReaderSource, { kind: 'remote' }> | { readonly kind: 'remote' };

/** Messages of a reading process while it reads. */
export type ImageReaderRequest =
  /** A picture is being read in the process itself, which restarts the time limit. */
  | { readonly kind: 'reading_image' }
  | { readonly kind: 'read_image'; readonly number: number; readonly picture: Picture };

export const imageReaderChoice = (source: ImageReaderSource | undefined): ImageReaderChoice | undefined =>
  source?.kind === 'remote' ? { kind: 'remote' } : source;
