import { join } from 'node:path';
import type { Config } from '../config.ts';
import type { ImageReaderSource } from '../ingest/image-reader-source.ts';
import { modelImageReader } from '../ingest/model-image-reader.ts';
import type { ModelRegistry } from '../models/model.ts';

export interface ImageReaderParts {
  readonly models: Pick<ModelRegistry, 'resolve'>;
  readonly cacheFolder: string;
}

/** The configured image reader; undefined if off. Throws for an unknown model. */
export function openImageReader(
  { reader, languages, dataFolder }: Config['images'],
  parts: ImageReaderParts,
): ImageReaderSource | undefined {
  if (reader === 'off') return undefined;
  if (reader !== 'tesseract')
    return { kind: 'remote', readImage: modelImageReader(parts.models.resolve(reader, 'fast')) };
  const cacheFolder = join(parts.cacheFolder, 'ocr');
  return { kind: 'tesseract', languages, cacheFolder, ...(dataFolder !== undefined && { dataFolder }) };
}
