import { scrypt } from 'node:crypto';
import { promisify } from 'node:util';
import { sql } from 'kysely';
import { ServiceError } from '../../errors.ts';
import { ANALYSER_VERSION } from '../full-text/analyse.ts';
import type { ProcessRole } from '../other-servers.ts';
import { readAnalyserStamp } from '../sql/full-text/full-text-rows.ts';
import type { Queries } from '../sql/vector-spaces/space-rows.ts';
import { connectedServers } from './cluster-members.ts';

/** Settings that must be the same for all processes on a database. */
export interface CommonSettings {
  /** URL of the shared Chroma, with its tenant and database; undefined if there is none. */
  readonly chroma?: string | undefined;
  /** Key that encrypts stored credentials. */
  readonly secretKey?: string | undefined;
  /** Secret that signs access tokens; undefined for the secret in the database. */
  readonly tokenSecret?: string | undefined;
  /** Location of the uploaded files; undefined if they are in the database. */
  readonly originals?: string | undefined;
}

interface ServerWithSettings {
  readonly key: number;
  /** URL of the database without its password, for messages. */
  readonly name: string;
  readonly role: ProcessRole;
  /** Version of the program. */
  readonly version: string;
  readonly settings: CommonSettings;
}

/** Database setting that holds the settings of each connected process, by its key. */
const SERVER_SETTINGS = 'settings_of_servers';

/** Recorded settings of a process, with fingerprints in place of secrets. */
interface Known extends CommonSettings {
  readonly role: ProcessRole;
  readonly analyser?: string;
}

/** The migration step that introduced originals outside the database; earlier servers do not support them. */
const ORIGINALS_SINCE = 21;

/**
 * Records the settings of this process. Throws `conflict` if another connected process has settings with which one of
 * them could not find or read what the other writes.
 */
export async function recordSettings(transaction: Queries, server: ServerWithSettings): Promise<void> {
  const { key, name, role, version, settings } = server;
  // If processes start at the same time, the later one sees the settings of the earlier one.
  await sql`select pg_advisory_xact_lock(hashtext('citewell settings of servers'))`.execute(transaction);
  const own: Known = {
    role,
    chroma: settings.chroma,
    secretKey: await fingerprint('CITEWELL_SECRET_KEY', settings.secretKey),
    tokenSecret: await fingerprint('CITEWELL_JWT_SECRET', settings.tokenSecret),
    originals: settings.originals,
    analyser: ANALYSER_VERSION,
  };
  const connected = (await connectedServers(transaction)).filter((each) => each.key !== key);
  const row = await transaction
    .selectFrom('settings')
    .select('value')
    .where('name', '=', SERVER_SETTINGS)
    .executeTakeFirst();
  const noted: Readonly<Record<string, Known>> = JSON.parse(row?.value ?? '{}');
  const others = Object.entries(noted).filter(([each]) => connected.some((other) => other.key === Number(each)));
  // A process that is just starting has no recorded settings yet; it will compare itself with this one.
  const silent = connected.filter((each) => noted[each.key] === undefined);
  if (own.originals !== undefined && silent.some(({ knowsSchema }) => knowsSchema < ORIGINALS_SINCE)) {
    throw originalsConflict(own, {}, name);
  }
  const hasOtherAnalyser = ({ analyser }: Known) => analyser !== ANALYSER_VERSION;
  if (others.some(([, other]) => hasOtherAnalyser(other)) || silent.some((each) => each.version !== version)) {
    await refuseOtherAnalyser(transaction, name);
  }
  for (const [, other] of others) refuseDifferentSettings(own, other, name);
  const value = JSON.stringify(Object.fromEntries([...others, [key, own]]));
  await transaction
    .insertInto('settings')
    .values({ name: SERVER_SETTINGS, value })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
    .execute();
}

function refuseDifferentSettings(own: Known, other: Known, name: string): void {
  if (own.chroma !== undefined && other.chroma !== undefined && own.chroma !== other.chroma) {
    throw new ServiceError(
      'conflict',
      `Another server uses the database ${name} with the Chroma at ${other.chroma}, this one with the one at ` +
        `${own.chroma}. They could not find each other's vectors: set CHROMA_URL, CHROMA_TENANT and CHROMA_DATABASE to ` +
        'the same values, spelled identically, for all servers of the database. To change them, stop all servers first.',
    );
  }
  // A process without a key reports that when it needs one.
  if (own.secretKey !== undefined && other.secretKey !== undefined && own.secretKey !== other.secretKey) {
    throw secretConflict('CITEWELL_SECRET_KEY', name, 'Neither could read the credentials that the other encrypts');
  }
  if (own.originals !== other.originals) throw originalsConflict(own, other, name);
  const bothIssueTokens = own.role === 'server' && other.role === 'server';
  if (bothIssueTokens && own.tokenSecret !== other.tokenSecret) {
    throw secretConflict('CITEWELL_JWT_SECRET', name, 'Each would refuse the users who logged in at the other');
  }
}

function originalsConflict(own: CommonSettings, other: CommonSettings, name: string): ServiceError {
  const [theirs, ours] = [other, own].map(({ originals = 'the database' }) => originals);
  return new ServiceError(
    'conflict',
    `Another server uses the database ${name} with the originals in ${theirs}, this one in ${ours}: set CITEWELL_ORIGINALS ` +
      'to the same value for all servers of the database. To change it, stop all servers first.',
  );
}

const secretConflict = (variable: string, name: string, why: string): ServiceError =>
  new ServiceError(
    'conflict',
    `Another server uses the database ${name} with another ${variable}. ${why}: set it to the same value for all ` +
      'servers of the database. To change it, stop all servers first.',
  );

async function refuseOtherAnalyser(transaction: Queries, name: string): Promise<void> {
  const stamp = await readAnalyserStamp(transaction);
  if (stamp === undefined || stamp === ANALYSER_VERSION) return;
  throw new ServiceError(
    'conflict',
    `Servers of another version use the database ${name} with a different text analyser version (${stamp}; this one ` +
      `has ${ANALYSER_VERSION}). The full-text index cannot be rebuilt while they run: stop them all, and start this ` +
      'one again.',
  );
}

const derive = promisify<string, string, number, Buffer>(scrypt);

/** Distinguishes two secrets. Slow to compute (scrypt), and too short to confirm a guess. */
async function fingerprint(variable: string, secret: string | undefined): Promise<string | undefined> {
  if (secret === undefined) return undefined;
  return (await derive(secret, `citewell ${variable}`, 4)).toString('hex');
}
