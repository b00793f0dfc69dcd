import { z } from 'zod';
import { type Audience, reasonFor } from '../../errors.ts';
import { placeOf, type SourceFailures, type SourceStatus } from '../../ingest/sources/source-status.ts';
import { type Secrets, type Settings, secretsSchema, settingsSchema } from '../../sources/fields.ts';
import { readSettings, sourceKind, sourceKinds } from '../../sources/kinds.ts';
import type { SourceKind } from '../../sources/source-kind.ts';
import type { SourceLocation, SyncReport } from '../../store/followed-sources.ts';
import { id, ids, timestamp } from './record-parts.ts';

// Addition: followed sources, from which documents are synchronised.

const webAddress = z.url({ protocol: /^https?$/, error: 'This must be an http or https address.' });
const collections = z
  .array(z.string().trim().min(1).max(200))
  .default([])
  .describe('Ids or names; names that do not exist are created.');

export const keepDeleted = z.boolean().describe('Keep the documents of deleted items.');
export const everyMinutes = z
  .int()
  .min(5)
  .max(60 * 24 * 31)
  .nullable()
  .describe('Minutes between two synchronisations; null to synchronise only on request.');

export const sitemap = z.boolean().describe('Fetch the pages of its sitemaps instead of linked pages.');
export const crawlDepth = z.int().min(0).max(10).describe('How many links deep to follow, below its folder.');
export const maxPages = z.int().min(1).max(10_000);

const check = z
  .boolean()
  .default(true)
  .describe('Whether to read the source once, and refuse it if that fails, instead of adding it.');

const newRemoteSource = (kind: SourceKind) =>
  z.strictObject({
    kind: z.literal(kind.type),
    address: z
      .string()
      .max(4_000)
      .optional()
      .describe(`Such as ${kind.example}; an alternative to some of the settings.`),
    settings: settingsSchema(kind.fields).default({}),
    credentials: secretsSchema(kind.secrets).default({}).describe('Stored encrypted and never returned.'),
    keep_deleted: keepDeleted.default(false),
    every_minutes: everyMinutes.default(60),
    check,
    collections,
  });

// Built when it is first used, since that takes as long as much of a start.
const wireSource = z.lazy(() =>
  z.discriminatedUnion('kind', [
    z.strictObject({
      kind: z.literal('folder'),
      path: z.string().trim().min(1).max(4_000).describe('An absolute path on the machine that runs the service.'),
      keep_deleted: keepDeleted.default(false),
      collections,
    }),
    z.strictObject({
      kind: z.literal('site'),
      url: webAddress,
      sitemap: sitemap.default(false),
      crawl_depth: crawlDepth.default(1),
      max_pages: maxPages.default(500),
      check,
      collections,
    }),
    ...sourceKinds.map(newRemoteSource),
  ]),
);

/** Unknown members are refused, since a misspelled setting would change what is followed. */
export const newSource = wireSource.transform((wire) => {
  const given = wire as NewSource & { readonly collections: readonly string[]; readonly check?: boolean };
  const credentials = 'credentials' in given ? given.credentials : undefined;
  const { collections: wanted, check: isTried = false } = given;
  return { location: toLocation(given), collections: wanted, isTried, ...(credentials && { credentials }) };
});

type NewSource =
  | { readonly kind: 'folder'; readonly path: string; readonly keep_deleted: boolean }
  | {
      readonly kind: 'site';
      readonly url: string;
      readonly sitemap: boolean;
      readonly crawl_depth: number;
      readonly max_pages: number;
    }
  | {
      /** A remote kind; the actual value is its type, such as `s3`. */
      readonly kind: `other ${string}`;
      readonly address?: string;
      readonly settings: Settings;
      readonly credentials: Secrets;
      readonly keep_deleted: boolean;
      readonly every_minutes: number | null;
    };

function toLocation(wire: NewSource): SourceLocation {
  if (wire.kind === 'folder') return { kind: 'folder', path: wire.path, keepDeleted: wire.keep_deleted };
  if (wire.kind === 'site') {
    return {
      kind: 'site',
      url: wire.url,
      limit: wire.max_pages,
      ...(wire.sitemap ? { walk: 'sitemap', depth: 0 } : { walk: 'crawl', depth: wire.crawl_depth }),
    };
  }
  const kind = sourceKind(wire.kind);
  const { settings, address } = readSettings(kind, wire);
  return {
    kind: 'remote',
    type: kind.type,
    address,
    settings,
    keepDeleted: wire.keep_deleted,
    everyMinutes: wire.every_minutes,
  };
}

export const followedSource = z
  .object({
    id,
    owner_id: id,
    kind: z.string().describe('`folder`, `site`, or the name of another kind, such as `s3`.'),
    location: z.string().describe('The path or the address.'),
    keep_deleted: z.boolean().nullable().describe('Null for sites.'),
    settings: z
      .record(z.string(), z.unknown())
      .nullable()
      .describe('This and the next three: null for folders and sites.'),
    has_credentials: z.boolean().nullable(),
    every_minutes: z.int().nullable(),
    next_sync_at: timestamp
      .nullable()
      .describe('Time of the next scheduled synchronisation; in the past if it is due.'),
    sitemap: z.boolean().nullable().describe('This and the next two: null unless a site.'),
    crawl_depth: z.int().nullable(),
    max_pages: z.int().nullable(),
    collection_ids: ids,
    created_at: timestamp,
    state: z
      .enum(['syncing', 'following', 'idle', 'stopped'])
      .describe('`stopped`: it cannot be followed, and `problem` says why; folders are retried every minute.'),
    problem: z.string().nullable(),
    total: z
      .int()
      .nullable()
      .describe('During a synchronisation: files of the folder, or items of the source; null until they are counted.'),
    listed: z.int().nullable().describe('During a synchronisation: items listed so far; null for folders and sites.'),
    last_sync: z
      .object({
        started_at: timestamp,
        ended_at: timestamp
          .nullable()
          .describe('Null while it runs or if it was interrupted; for a watched folder, the time of the last change.'),
        done: z.int(),
        counts: z.record(z.string(), z.int()).describe('Files or pages by outcome.'),
        failures: z
          .array(z.object({ name: z.string(), reason: z.string(), document_id: id.nullable() }))
          .describe('At most twenty: the last failures, then the last skipped items.'),
        is_limit_reached: z.boolean().describe('The site may have more pages than `max_pages`.'),
      })
      .nullable(),
    failed_items: z
      .object({
        count: z.int(),
        items: z
          .array(
            z.object({
              name: z.string(),
              reason: z.string(),
              tries: z.int(),
              tried_at: timestamp.describe('Time of the last try.'),
              next_try_at: timestamp.describe('Not retried earlier, unless a synchronisation is requested.'),
            }),
          )
          .describe('Those tried most recently: up to 100, or three in a list of sources.'),
      })
      .nullable()
      .describe('Items that could not be ingested and will be retried; null for folders and sites.'),
  })
  .meta({ id: 'FollowedSource' }) satisfies z.ZodType<{
  [Name in keyof ReturnType<typeof toFollowedSource>]: unknown;
}>;

export function toFollowedSource(
  { location, lastSync, credentials, ...source }: SourceStatus,
  failed: SourceFailures,
  audience: Audience,
) {
  const site = location.kind === 'site' ? location : undefined;
  const remote = location.kind === 'remote' ? location : undefined;
  const done = Object.values(lastSync?.counts ?? {}).reduce((sum, count) => sum + count, 0);
  return {
    id: source.id,
    owner_id: source.ownerId,
    kind: remote?.type ?? location.kind,
    location: placeOf(location),
    keep_deleted: location.kind === 'site' ? null : location.keepDeleted,
    settings: remote?.settings ?? null,
    has_credentials: remote === undefined ? null : credentials !== undefined,
    every_minutes: remote?.everyMinutes ?? null,
    next_sync_at: nextSync(location, lastSync),
    sitemap: site === undefined ? null : site.walk === 'sitemap',
    crawl_depth: site?.walk === 'crawl' ? site.depth : null,
    max_pages: site?.limit ?? null,
    collection_ids: source.collectionIds,
    created_at: source.createdAt,
    state: source.state,
    problem: source.problem ? reasonFor(source.problem, audience) : null,
    total: source.total ?? null,
    listed: source.listed ?? null,
    last_sync: lastSync && {
      started_at: lastSync.startedAt,
      ended_at: lastSync.endedAt,
      done,
      counts: lastSync.counts,
      failures: lastSync.failures.map(({ name, reason, documentId }) => ({
        name,
        reason: reasonFor(reason, audience),
        document_id: documentId,
      })),
      is_limit_reached: site !== undefined && done >= site.limit,
    },
    failed_items:
      remote === undefined
        ? null
        : {
            count: failed.count,
            items: failed.items.map(({ key, reason, tries, triedAt, nextTryAt }) => ({
              name: key,
              reason: reasonFor(reason, audience),
              tries,
              tried_at: triedAt,
              next_try_at: nextTryAt,
            })),
          },
  };
}

function nextSync(location: SourceLocation, lastSync: SyncReport | null): string | null {
  if (location.kind !== 'remote' || location.everyMinutes === null || !lastSync?.endedAt) return null;
  return new Date(Date.parse(lastSync.endedAt) + location.everyMinutes * 60_000).toISOString();
}

const sourceField = z.object({
  name: z.string(),
  type: z.enum(['text', 'list', 'number', 'flag', 'credential']),
  description: z.string(),
  example: z.string().nullable(),
  is_required: z.boolean(),
  is_fixed: z.boolean().describe('Part of what is followed; cannot be changed later.'),
  is_long: z.boolean().describe('A credential that may have several lines.'),
  least: z.int().nullable().describe('This and the next: limits of a number, otherwise null.'),
  most: z.int().nullable(),
  variable: z.string().nullable().describe('For credentials: the environment variable that the command line reads.'),
});

export const sourceKindRecord = z
  .object({
    kind: z.string(),
    title: z.string(),
    example: z.string().describe('An address of this kind.'),
    fields: z.array(sourceField),
  })
  .meta({ id: 'SourceKind' });

export const toSourceKind = ({ type, title, example, fields, secrets }: SourceKind) => ({
  kind: type,
  title,
  example,
  fields: [
    ...Object.entries(fields).map(([name, field]) => ({
      name,
      type: field.type,
      description: field.description,
      example: field.example ?? null,
      variable: null,
      is_required: field.isRequired ?? false,
      is_fixed: field.isRequired ?? field.isFixed ?? false,
      is_long: false,
      least: field.least ?? null,
      most: field.most ?? null,
    })),
    ...Object.entries(secrets).map(([name, secret]) => ({
      name,
      type: 'credential',
      description: secret.description,
      example: null,
      variable: secret.variable,
      is_required: secret.isRequired ?? false,
      is_fixed: false,
      is_long: secret.isLong ?? false,
      least: null,
      most: null,
    })),
  ],
});
