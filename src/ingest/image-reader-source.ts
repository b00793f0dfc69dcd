import type { ImageReader, Picture } from './readers/image/image-reader.ts';
import type { TesseractSettings } from './tesseract-image-reader.ts';

/** Where pictures are read: by OCR in the reading process, or by a reader in the service, such as a model. */
export type ImageReaderSource =
  | ({ readonly kind: 'tesseract' } & TesseractSettings)
  | { readonly kind: 'remote'; readonly readImage: ImageReader };

/** The part of an `ImageReaderSource` that is sent to a reading process. */
export type ImageReaderChoice = Exclude<ImageReaderSource, { kind: 'remote' }> | { readonly kind: 'remote' };

/** Messages that a reading process sends while it reads. */
export type ImageReaderRequest =
  /** The process reads a picture itself; the time limit starts again. */
  | { readonly kind: 'reading_image' }
  | { readonly kind: 'read_image'; readonly number: number; readonly picture: Picture };

export const imageReaderChoice = (source: ImageReaderSource | undefined): ImageReaderChoice | undefined =>
  source?.kind === 'remote' ? { kind: 'remote' } : source;
