import type { Config } from '../config.ts';
import type { ObjectStore } from '../store/originals/object-store.ts';
import type { S3Settings } from '../store/originals/s3/s3-settings.ts';

/** Settings of the object storage for uploaded files; undefined if they are stored in the database. */
export function originalsSettings({ originals: { place, access } }: Pick<Config, 'originals'>): S3Settings | undefined {
  return place === undefined || access === undefined ? undefined : { ...place, ...access };
}

/** Opens the object storage for uploaded files, if one is configured. Its client is loaded on demand. */
export async function openOriginals(config: Pick<Config, 'originals'>): Promise<ObjectStore | undefined> {
  const settings = originalsSettings(config);
  if (settings === undefined) return undefined;
  const { openS3Objects } = await import('../store/originals/s3/s3-objects.ts');
  return openS3Objects(settings);
}
