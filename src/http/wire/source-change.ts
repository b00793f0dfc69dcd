import { z } from 'zod';
import type { SourceChange } from '../../ingest/sources/change-source.ts';
import { type Secrets, type SettingChanges, secretsSchema, settingChangesSchema } from '../../sources/fields.ts';
import { sourceKind, sourceKinds } from '../../sources/kinds.ts';
import type { SourceKind } from '../../sources/source-kind.ts';
import type { SourceLocation } from '../../store/followed-sources.ts';
import { crawlDepth, everyMinutes, keepDeleted, maxPages, sitemap } from './followed-source.ts';

// Addition: changes of a followed source. Absent members are not changed.

const identifying: ReadonlySet<string> = new Set(['kind', 'path', 'url', 'address', 'location', 'id', 'owner_id']);

/** Refuses members that identify what is followed, and members that this kind does not have, by name. */
const changes = <Shape extends z.core.$ZodLooseShape>(kind: string, shape: Shape) =>
  z.strictObject(shape, {
    error(issue) {
      if (issue.code !== 'unrecognized_keys') return undefined;
      const keys = issue['keys'] as readonly string[];
      const fixed = keys.filter((key) => identifying.has(key));
      if (fixed.length === 0) return `${keys.join(', ')}: a source of kind ${kind} does not allow this change.`;
      return `${fixed.join(', ')}: what is followed cannot be changed. Add another source, and remove this one.`;
    },
  });

const common = {
  collections: z
    .array(z.string().trim().min(1).max(200))
    .optional()
    .describe('Ids or names, for documents ingested from now on; names that do not exist are created.'),
};

const folder = changes('folder', { keep_deleted: keepDeleted.optional(), ...common });
const site = changes('site', {
  sitemap: sitemap.optional(),
  crawl_depth: crawlDepth.optional(),
  max_pages: maxPages.optional(),
  ...common,
});
const remote = (kind: SourceKind) =>
  changes(kind.type, {
    settings: settingChangesSchema(kind.fields).optional().describe('Null removes a setting.'),
    credentials: secretsSchema(kind.secrets)
      .optional()
      .describe('Replace all stored credentials; an empty object removes them.'),
    check: z
      .boolean()
      .default(true)
      .describe('Whether to test new credentials and settings, and refuse them if the source cannot be listed.'),
    keep_deleted: keepDeleted.optional(),
    every_minutes: everyMinutes.optional(),
    ...common,
  });

/** The changes allowed for any kind of source. */
export const sourceChange = z.union([folder, site, ...sourceKinds.map(remote)]);

interface WireChange {
  readonly keep_deleted?: boolean;
  readonly sitemap?: boolean;
  readonly crawl_depth?: number;
  readonly max_pages?: number;
  readonly settings?: SettingChanges;
  readonly credentials?: Secrets;
  readonly every_minutes?: number | null;
  readonly check?: boolean;
  readonly collections?: readonly string[];
}

/** Schema for changes of the source with this location. */
export const sourceChangeAt = (location: SourceLocation) =>
  schemaOf(location).transform((wire: unknown) => {
    const { check = true, collections, ...given } = wire as WireChange;
    const change: Omit<SourceChange, 'collectionIds'> = {
      keepDeleted: given.keep_deleted,
      everyMinutes: given.every_minutes,
      settings: given.settings,
      credentials: given.credentials,
      sitemap: given.sitemap,
      depth: given.crawl_depth,
      limit: given.max_pages,
    };
    return { change, collections, isTried: check };
  });

function schemaOf(location: SourceLocation): z.ZodType {
  switch (location.kind) {
    case 'folder':
      return folder;
    case 'site':
      return site;
    case 'remote':
      return remote(sourceKind(location.type));
  }
}
