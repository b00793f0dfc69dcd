import { ServiceError } from '../../errors.ts';
import type { Secrets } from '../../sources/fields.ts';
import type { FollowedSource } from '../../store/followed-sources.ts';
import type { SecretBox } from '../../store/secrets/secret-box.ts';

/** The credentials of a source as they are stored; undefined if there are none. Throws `not_configured`. */
export async function sealCredentials(
  box: SecretBox | undefined,
  secrets: Secrets | undefined,
  id: string,
): Promise<string | undefined> {
  if (secrets === undefined || Object.keys(secrets).length === 0) return undefined;
  if (box !== undefined) return box.seal(JSON.stringify(secrets), id);
  throw new ServiceError(
    'not_configured',
    'Credentials cannot be stored without an encryption key. Set CITEWELL_SECRET_KEY.',
  );
}

/** The credentials of a source; empty if it has none. */
export async function openCredentials(
  box: SecretBox | undefined,
  { id, credentials }: Pick<FollowedSource, 'id' | 'credentials'>,
): Promise<Secrets> {
  const opened = credentials === undefined ? undefined : await box?.open(credentials, id);
  return opened === undefined ? {} : (JSON.parse(opened) as Secrets);
}
