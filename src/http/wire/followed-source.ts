import { z } from 'zod';
import type { SourceStatus } from '../../ingest/sources/source-service.ts';
import type { SourceLocation } from '../../store/followed-sources.ts';
import { id, ids, timestamp } from './record-parts.ts';

// Ours: folders and sites that documents are kept in step with.

const webAddress = z.url({ protocol: /^https?$/, error: 'This must be an http or https address.' });
const collections = z
  .array(z.string().trim().min(1).max(200))
  .default([])
  .describe('Ids or names; new ones are created.');

export const newSource = z
  .discriminatedUnion('kind', [
    z.object({
      kind: z.literal('folder'),
      path: z.string().trim().min(1).max(4_000).describe('Absolute, on the machine that runs the service.'),
      keep_deleted: z.boolean().default(false).describe('Keep the documents of files that are deleted.'),
      collections,
    }),
    z.object({
      kind: z.literal('site'),
      url: webAddress,
      sitemap: z.boolean().default(false).describe('The pages of its sitemaps, instead of what its links lead to.'),
      crawl_depth: z.int().min(0).max(10).default(1).describe('Links followed one after another, below its folder.'),
      max_pages: z.int().min(1).max(10_000).default(500),
      collections,
    }),
  ])
  .transform((wire) => ({ location: toLocation(wire), collections: wire.collections }));

type NewSource =
  | { readonly kind: 'folder'; readonly path: string; readonly keep_deleted: boolean }
  | {
      readonly kind: 'site';
      readonly url: string;
      readonly sitemap: boolean;
      readonly crawl_depth: number;
      readonly max_pages: number;
    };

const toLocation = (wire: NewSource): SourceLocation =>
  wire.kind === 'folder'
    ? { kind: 'folder', path: wire.path, keepDeleted: wire.keep_deleted }
    : {
        ...{ kind: 'site', url: wire.url, limit: wire.max_pages },
        ...(wire.sitemap ? { walk: 'sitemap', depth: 0 } : { walk: 'crawl', depth: wire.crawl_depth }),
      };

export const followedSource = z
  .object({
    id,
    owner_id: id,
    kind: z.enum(['folder', 'site']),
    location: z.string().describe('The path or the address.'),
    keep_deleted: z.boolean().nullable().describe('For folders.'),
    sitemap: z.boolean().nullable().describe('For sites; so are the two below.'),
    crawl_depth: z.int().nullable(),
    max_pages: z.int().nullable(),
    collection_ids: ids,
    created_at: timestamp,
    state: z
      .enum(['syncing', 'following', 'idle', 'stopped'])
      .describe('`stopped`: it cannot be followed; `problem` says why. Folders are tried again each minute.'),
    problem: z.string().nullable(),
    total: z.int().nullable().describe('Files in a folder that is being read, as far as known.'),
    last_sync: z
      .object({
        started_at: timestamp,
        ended_at: timestamp
          .nullable()
          .describe('Null while it runs, or when it was interrupted; afterwards, of the last change.'),
        done: z.int(),
        counts: z.record(z.string(), z.int()).describe('Files or pages by outcome.'),
        failures: z
          .array(z.object({ name: z.string(), reason: z.string(), document_id: id.nullable() }))
          .describe('The latest twenty.'),
        is_limit_reached: z.boolean().describe('The site may have more pages than `max_pages`.'),
      })
      .nullable(),
  })
  .meta({ id: 'FollowedSource' }) satisfies z.ZodType<{
  [Name in keyof ReturnType<typeof toFollowedSource>]: unknown;
}>;

export function toFollowedSource({ location, lastSync, ...source }: SourceStatus) {
  const site = location.kind === 'site' ? location : undefined;
  const done = Object.values(lastSync?.counts ?? {}).reduce((sum, count) => sum + count, 0);
  return {
    id: source.id,
    owner_id: source.ownerId,
    kind: location.kind,
    location: location.kind === 'folder' ? location.path : location.url,
    keep_deleted: location.kind === 'folder' ? location.keepDeleted : null,
    sitemap: site === undefined ? null : site.walk === 'sitemap',
    crawl_depth: site?.walk === 'crawl' ? site.depth : null,
    max_pages: site?.limit ?? null,
    collection_ids: source.collectionIds,
    created_at: source.createdAt,
    state: source.state,
    problem: source.problem ?? null,
    total: source.total ?? null,
    last_sync: lastSync && {
      started_at: lastSync.startedAt,
      ended_at: lastSync.endedAt,
      done,
      counts: lastSync.counts,
      failures: lastSync.failures.map(({ name, reason, documentId }) => ({ name, reason, document_id: documentId })),
      is_limit_reached: site !== undefined && done >= site.limit,
    },
  };
}
