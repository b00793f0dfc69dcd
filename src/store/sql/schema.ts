import type { Generated } from 'kysely';
import type { CollectionTables } from './collections/collection-tables.ts';
import type { ConversationTables } from './conversations/conversation-tables.ts';
import type { DocumentTables } from './documents/document-tables.ts';
import type { GraphTables } from './graph/graph-tables.ts';
import type { SourceTables } from './source-schema.ts';
import type { UserTables } from './users/user-tables.ts';
import type { VectorTables } from './vector-spaces/vector-tables.ts';
import type { VersionTables } from './versions/version-tables.ts';

/** JSON stored as text; its type is noted beside each column. Times are ISO-8601 in UTC. */
type JsonText = string;

export interface PromptTable {
  readonly name: string;
  readonly id: string;
  readonly template: string;
  /** Record<string, string> */
  readonly input_types: JsonText;
  readonly created_at: string;
  readonly updated_at: string;
}

export interface SettingTable {
  readonly name: string;
  readonly value: string;
}

/** Objects that are to be removed, unless a record refers to them. */
export interface ObjectRemovalTable {
  readonly object: string;
  /**
   * Earliest time of the removal; empty if it may happen immediately. Later for an object that is still being written.
   */
  readonly due_at: string;
  /** When its removal began; from then on no record may refer to it. */
  readonly claimed_at: Generated<string | null>;
}

/** The tables of the record store, without the full-text indexes, which differ between database engines. */
export interface Tables
  extends DocumentTables,
    VersionTables,
    VectorTables,
    ConversationTables,
    CollectionTables,
    GraphTables,
    SourceTables,
    UserTables {
  readonly prompts: PromptTable;
  readonly object_removals: ObjectRemovalTable;
  readonly settings: SettingTable;
}
