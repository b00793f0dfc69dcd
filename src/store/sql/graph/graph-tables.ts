import type { Generated } from 'kysely';

/** JSON stored as text. */
type JsonText = string;

interface Timestamps {
  readonly created_at: string;
  readonly updated_at: string;
}

interface GraphNameTable {
  readonly key: Generated<number>;
  readonly folded: string;
  readonly name: string;
}

interface GraphNameVectorTable {
  readonly space_key: number;
  readonly name_key: number;
  /** float32, little-endian */
  readonly vector: Uint8Array;
}

interface DocumentGraphTable {
  readonly document_key: number;
  /** The requested extractor; null for the default one. */
  readonly requested: string | null;
  readonly extractor: string | null;
  readonly failure: string | null;
  readonly extracted_at: string | null;
}

interface ExtractionPartTable {
  readonly document_key: number;
  readonly generation: number;
  readonly extractor: string;
  readonly part: number;
  /** ExtractedGraph */
  readonly graph: JsonText;
}

interface DocumentEntityTable extends Timestamps {
  readonly key: Generated<number>;
  readonly document_key: number;
  readonly name_key: number;
  readonly name: string;
  readonly category: string | null;
  readonly description: string;
  readonly metadata: JsonText;
  readonly mentions: number;
}

interface EntityMentionTable {
  readonly entity_key: number;
  readonly chunk_key: number;
  readonly start_offset: number;
  readonly end_offset: number;
}

interface DocumentRelationshipTable extends Timestamps {
  readonly key: Generated<number>;
  readonly document_key: number;
  readonly subject_key: number;
  readonly object_key: number;
  readonly predicate: string;
  readonly description: string;
  readonly weight: number;
  readonly metadata: JsonText;
}

interface RelationshipMentionTable {
  readonly relationship_key: number;
  readonly chunk_key: number;
  readonly start_offset: number;
  readonly end_offset: number;
}

interface GraphTable extends Timestamps {
  readonly collection_id: string;
  readonly name: string | null;
  readonly description: string | null;
}

interface GraphDocumentTable {
  readonly collection_id: string;
  readonly document_key: number;
  /** 1 when pulled on request, 0 when merged automatically. */
  readonly pulled: Generated<number>;
}

/** Documents excluded from a graph. */
interface GraphExclusionTable {
  readonly collection_id: string;
  readonly document_key: number;
}

/** Graphs being emptied: rows up to these keys are hidden and will be deleted. */
interface GraphResetTable {
  readonly collection_id: string;
  readonly entity_key: number;
  readonly relationship_key: number;
  readonly community_key: number;
  /** 1 while its documents are taken out of the graph, in the transaction that inserts the row. */
  readonly is_starting: number;
}

/** Null fields are taken from the sources. */
interface GraphEntityTable extends Timestamps {
  readonly key: Generated<number>;
  readonly collection_id: string;
  readonly name_key: number;
  readonly origin: 'extracted' | 'made';
  readonly name: string;
  readonly category: string | null;
  readonly description: string | null;
  readonly metadata: JsonText | null;
}

interface GraphEntitySourceTable {
  readonly graph_entity_key: number;
  readonly document_entity_key: number;
}

/** Null fields are taken from the sources. */
interface GraphRelationshipTable extends Timestamps {
  readonly key: Generated<number>;
  readonly collection_id: string;
  readonly subject_key: number;
  readonly object_key: number;
  readonly origin: 'extracted' | 'made';
  readonly subject: string;
  readonly predicate: string;
  readonly object: string;
  readonly description: string | null;
  readonly weight: number | null;
  readonly metadata: JsonText | null;
}

interface GraphRelationshipSourceTable {
  readonly graph_relationship_key: number;
  readonly document_relationship_key: number;
}

interface GraphCommunityTable extends Timestamps {
  readonly key: Generated<number>;
  readonly collection_id: string;
  readonly origin: 'extracted' | 'made';
  readonly name: string;
  readonly summary: string;
  /** string[] */
  readonly findings: JsonText;
  readonly rating: number;
  readonly rating_explanation: string;
  readonly level: number;
  /** Metadata */
  readonly attributes: JsonText;
}

interface GraphCommunityMemberTable {
  readonly community_key: number;
  readonly entity_key: number;
  /** Rank from 0, the most central first. */
  readonly place: number;
}

/** The tables of the knowledge graph, without the full-text index over names, `graph_name_terms`. */
export interface GraphTables {
  readonly graph_names: GraphNameTable;
  readonly graph_name_vectors: GraphNameVectorTable;
  readonly document_graphs: DocumentGraphTable;
  readonly extraction_parts: ExtractionPartTable;
  readonly document_entities: DocumentEntityTable;
  readonly entity_mentions: EntityMentionTable;
  readonly document_relationships: DocumentRelationshipTable;
  readonly relationship_mentions: RelationshipMentionTable;
  readonly graphs: GraphTable;
  readonly graph_documents: GraphDocumentTable;
  readonly graph_exclusions: GraphExclusionTable;
  readonly graph_resets: GraphResetTable;
  readonly graph_entities: GraphEntityTable;
  /** Views without the rows of `graph_resets`, for all reads of a collection's graph. */
  readonly shown_graph_entities: GraphEntityTable;
  readonly shown_graph_relationships: GraphRelationshipTable;
  readonly shown_graph_communities: GraphCommunityTable;
  readonly graph_entity_sources: GraphEntitySourceTable;
  readonly graph_relationships: GraphRelationshipTable;
  readonly graph_relationship_sources: GraphRelationshipSourceTable;
  readonly graph_communities: GraphCommunityTable;
  readonly graph_community_members: GraphCommunityMemberTable;
}
