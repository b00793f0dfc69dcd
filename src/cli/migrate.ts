import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ServiceError } from '../errors.ts';
import { apiSource } from '../migrate/api-source.ts';
import { openDatabaseSource } from '../migrate/database-source.ts';
import { type MigratedItem, type MigratedKind, migrateR2r } from '../migrate/migrate-r2r.ts';
import type { MigrationSource } from '../migrate/migration-source.ts';
import { openMigrationState } from '../migrate/migration-state.ts';
import { connectV3, type V3Server } from '../migrate/v3-connection.ts';
import { withoutFinalSlashes } from '../shared/text.ts';
import type { CommandContext } from './command-context.ts';
import { connect } from './connect.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import { count, progressLine } from './progress-line.ts';
import { readSecret } from './read-password.ts';

export interface MigrateOptions {
  readonly url?: string;
  readonly postgres?: string;
  readonly schema: string;
  readonly apiKeyStdin?: boolean;
  readonly email?: string;
  readonly state?: string;
  readonly report?: string;
  readonly json?: boolean;
}

const kinds: readonly MigratedKind[] = ['user', 'collection', 'document', 'conversation'];

/** Limitations mentioned in the report. */
const USERS_NOT_MIGRATED =
  'Users and their passwords: R2R does not export them, but its database has them (--postgres). Everything belongs to the user who runs this.';
const NOT_MIGRATED = [
  'API keys: their users create new ones.',
  'Graphs, manually edited chunks and vectors: they are rebuilt from the documents.',
  'Creation times: documents have them as first_ingested_at in their metadata.',
];

/** `citewell migrate r2r`: copies the contents of a running R2R or of its database; running it again resumes. */
export async function migrate(options: MigrateOptions, context: CommandContext): Promise<ExitCode> {
  const { output, interruption } = context;
  const config = await context.config();
  const signal = interruption.stop;
  const source = await openSource(options, signal);
  const statePath =
    options.state ??
    join(config.dataDir, `migration-${createHash('sha256').update(source.name).digest('hex').slice(0, 12)}.jsonl`);
  const link = await connect(config, context, { releasesStore: false }).catch(async (error: unknown) => {
    // An open connection would keep the process from ending.
    await source.close();
    throw error;
  });
  const tally = createTally();
  let total = 0;
  const startedAt = performance.now();
  try {
    const state = await openMigrationState(statePath);
    const { url, token } = await link.address();
    const to = connectV3({ url, bearer: token }, signal);
    const events = migrateR2r({ from: source, to, state, signal });
    for await (const event of events) {
      if (options.json) output.print(JSON.stringify(event));
      if (event.type === 'found') {
        total = kinds.reduce((sum, kind) => sum + event.counts[kind], 0);
        if (!options.json) output.note(`${source.name}: ${describe(event.counts)} of ${event.user}.`);
        continue;
      }
      tally.add(event);
      if (event.outcome === 'failed' && !options.json) {
        output.note(
          `${output.noteStyle('red', 'failed')} ${event.kind} ${event.name || event.id}: ${event.reason ?? ''}`,
        );
      }
      output.status(
        progressLine(
          {
            ...tally.progress(),
            total,
            elapsedSeconds: (performance.now() - startedAt) / 1000,
            unit: 'items',
            current: event.name,
          },
          output.width,
        ),
      );
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    output.status('');
    await source.close();
    await link.close();
  }
  const notMigrated = source.hasUsers ? NOT_MIGRATED : [USERS_NOT_MIGRATED, ...NOT_MIGRATED];
  const report = {
    source: source.name,
    interrupted: signal.aborted,
    ...tally.report(),
    not_carried_over: notMigrated,
  };
  if (options.report !== undefined) await writeFile(options.report, `${JSON.stringify(report, null, 2)}\n`);
  if (options.json) output.print(JSON.stringify({ type: 'report', ...report }));
  else {
    for (const kind of kinds) output.print(`${kind}s: ${describeOutcomes(report.counts[kind])}`);
    for (const sentence of notMigrated) output.note(`Not copied: ${sentence}`);
    if (signal.aborted) output.note('Interrupted; the same command continues where this stopped.');
    else if (report.failed.length > 0) output.note('The same command retries what failed.');
  }
  if (signal.aborted) return exitCodes.interrupted;
  if (report.failed.length === 0) return exitCodes.ok;
  return report.failed.length < tally.progress().done ? exitCodes.partly : exitCodes.failure;
}

type Outcomes = Readonly<Record<MigratedItem['outcome'], number>>;

/** Counts what was copied and collects what the report has to mention. */
function createTally() {
  const none: Outcomes = { copied: 0, present: 0, failed: 0 };
  const counts: Record<MigratedKind, Outcomes> = { user: none, collection: none, document: none, conversation: none };
  const failed: MigratedItem[] = [];
  const remarks: MigratedItem[] = [];
  const sum = (outcome: MigratedItem['outcome']) => kinds.reduce((all, kind) => all + counts[kind][outcome], 0);
  return {
    add(item: MigratedItem) {
      const { kind, outcome, reason } = item;
      counts[kind] = { ...counts[kind], [outcome]: counts[kind][outcome] + 1 };
      if (outcome === 'failed') failed.push(item);
      else if (reason !== undefined) remarks.push(item);
    },
    progress: () => ({
      done: sum('copied') + sum('present') + sum('failed'),
      failed: sum('failed'),
      skipped: 0,
      present: sum('present'),
    }),
    report: () => ({ counts, failed, remarks }),
  };
}

const describe = (counts: Readonly<Record<MigratedKind, number>>): string =>
  kinds.map((kind) => `${count(counts[kind])} ${kind}s`).join(', ');

const describeOutcomes = ({ copied, present, failed }: Outcomes): string =>
  `${count(copied)} copied, ${count(present)} were present, ${count(failed)} failed`;

async function openSource(options: MigrateOptions, signal: AbortSignal): Promise<MigrationSource> {
  const { url, postgres, schema } = options;
  if (postgres !== undefined) return openDatabaseSource({ url: postgres, schema });
  if (url !== undefined) return apiSource(connectV3(await withCredentials(url, options, signal), signal));
  throw new ServiceError(
    'invalid_request',
    'Name the R2R to copy: --url ADDRESS, or --postgres ADDRESS of its database.',
  );
}

/** The source with credentials; secrets are read from stdin, where process lists do not show them. */
async function withCredentials(url: string, options: MigrateOptions, signal: AbortSignal): Promise<V3Server> {
  if (URL.parse(url) === null) {
    throw new ServiceError('invalid_request', `--url ${url} is not a URL; give one such as http://localhost:7272.`);
  }
  if (options.apiKeyStdin) return { url, apiKey: await secret('key', signal) };
  if (options.email === undefined) return { url };
  const login = new URLSearchParams({ username: options.email, password: await secret('password', signal) });
  const base = withoutFinalSlashes(url).replace(/\/v3$/, '');
  const response = await fetch(`${base}/v3/users/login`, { method: 'POST', body: login, signal }).catch(
    (cause: unknown) => {
      throw new ServiceError('provider_failed', `The server at ${base} cannot be reached.`, { cause });
    },
  );
  const { results } = Object(await response.json().catch(() => undefined)) as {
    readonly results?: { readonly access_token?: { readonly token?: string } };
  };
  const bearer = results?.access_token?.token;
  if (!response.ok || bearer === undefined) {
    throw new ServiceError('unauthenticated', `${base} rejects ${options.email} with that password.`);
  }
  return { url, bearer };
}

async function secret(what: string, stop: AbortSignal): Promise<string> {
  if (process.stdin.isTTY) {
    throw new ServiceError(
      'invalid_request',
      `The ${what} is read from stdin; pipe it in, as in: citewell migrate … < ${what}.txt`,
    );
  }
  const given = (await readSecret(what, { input: process.stdin, stop })).trim();
  if (given !== '') return given;
  throw new ServiceError('invalid_request', `Stdin contains no ${what}.`);
}
