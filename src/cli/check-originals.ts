import { compareOriginals } from '../adapters/compare-originals.ts';
import { originalsSettings } from '../adapters/open-originals.ts';
import type { Config } from '../config.ts';
import { ServiceError } from '../errors.ts';
import { describeMissing, MISSING_REMEDY } from '../store/originals/originals-found.ts';
import { nameOfPlace } from '../store/originals/s3/s3-settings.ts';
import type { Finding } from './doctor-checks.ts';

/** Checks that the storage has the file of each document, if files are kept outside the database. */
export async function checkOriginals(config: Config): Promise<Finding[]> {
  const settings = originalsSettings(config);
  if (settings === undefined) return [];
  const name = 'Files';
  const place = nameOfPlace(settings);
  try {
    const found = await compareOriginals(config);
    if (found === undefined) return [];
    if (found.missing.length === 0) return [{ name, state: 'ok', detail: `all ${found.files} are in ${place}` }];
    return [{ name, state: 'wrong', detail: describeMissing(found, place), fix: MISSING_REMEDY }];
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return [{ name, state: 'warning', detail: `were not looked for in ${place}: ${error.message}` }];
  }
}
