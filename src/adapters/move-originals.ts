import type { Config } from '../config.ts';
import { ServiceError } from '../errors.ts';
import type { ObjectStore } from '../store/originals/object-store.ts';
import { openS3Objects } from '../store/originals/s3/s3-objects.ts';
import { placeOf, readPlace, type S3Place } from '../store/originals/s3/s3-settings.ts';
import { type MoveEvent, moveToDatabase, moveToObjects } from '../store/sql/originals/move-originals.ts';
import { readPlace as readRecordedPlace } from '../store/sql/originals/originals-place.ts';
import { configuredPlace, openPlace } from './copy-records.ts';

export interface MoveOptions {
  readonly config: Config;
  /** `s3://bucket/prefix` or `database`. */
  readonly to: string;
  readonly signal: AbortSignal;
  readonly report: (message: string) => void;
}

/** Moves all uploaded files between the database and an object storage. Needs exclusive access to the database. */
export async function* moveOriginals({ config, to, signal, report }: MoveOptions): AsyncGenerator<MoveEvent> {
  const target = to === 'database' ? 'database' : readPlace(to);
  if (target === undefined) {
    throw new ServiceError(
      'invalid_request',
      '--to takes a bucket and a prefix such as s3://my-bucket/citewell, or database.',
    );
  }
  const place = await openPlace(configuredPlace(config), { mode: config.databaseMigrate, mustExist: true, report });
  try {
    const { database } = place;
    if (target !== 'database') {
      yield* moveToObjects({ database, objects: storage(config, target), signal });
      return;
    }
    const recorded = await readRecordedPlace(database.writer);
    const from = recorded === undefined ? undefined : readPlace(recorded.place);
    if (from === undefined) throw new ServiceError('conflict', 'The originals are in the database already.');
    yield* moveToDatabase({ database, objects: storage(config, from), signal });
  } finally {
    await place.close();
  }
}

function storage({ originals: { access } }: Config, place: S3Place): ObjectStore {
  if (access !== undefined) return openS3Objects({ ...place, ...access });
  throw new ServiceError(
    'not_configured',
    `${placeOf(place)} is used with an access key: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, and ` +
      'CITEWELL_ORIGINALS_ENDPOINT if it is not Amazon’s.',
  );
}
