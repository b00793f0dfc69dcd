import { join } from 'node:path';
import type { Config } from '../config.ts';
import { modelSight } from '../ingest/model-sight.ts';
import type { SightSource } from '../ingest/sight-source.ts';
import type { ModelRegistry } from '../models/model.ts';

export interface SightParts {
  readonly models: Pick<ModelRegistry, 'resolve'>;
  readonly cacheFolder: string;
}

/** Who reads pictures by the settings; undefined when nobody does. Throws for a model that is not there. */
export function openSight(
  { reader, languages, dataFolder }: Config['images'],
  parts: SightParts,
): SightSource | undefined {
  if (reader === 'off') return undefined;
  if (reader !== 'tesseract') return { kind: 'asked', see: modelSight(parts.models.resolve(reader, 'fast')) };
  const cacheFolder = join(parts.cacheFolder, 'ocr');
  return { kind: 'tesseract', languages, cacheFolder, ...(dataFolder !== undefined && { dataFolder }) };
}
