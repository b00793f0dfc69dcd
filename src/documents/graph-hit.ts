/** A hit of a graph search, limited to content the user may see. */
export interface GraphHit {
  readonly id: string;
  /** Above 0, at most 1. */
  readonly score: number;
  /** Chunks that mention it, most relevant first; empty for manual entries. */
  readonly chunkIds: readonly string[];
  /** The documents of those chunks. */
  readonly documents: readonly { readonly id: string; readonly title: string }[];
  /** The sentence it is based on; absent for manual entries. */
  readonly sentence?: GraphSentence;
  readonly found: FoundEntity | FoundRelationship | FoundCommunity;
}

/** A sentence with its position in a document. */
export interface GraphSentence {
  readonly documentId: string;
  readonly chunkId: string;
  readonly documentType?: string | undefined;
  readonly text: string;
  /** Start offset in the document's extracted text. */
  readonly start: number;
  readonly page: number | null;
  readonly headingPath: readonly string[];
}

export interface FoundEntity {
  readonly kind: 'entity';
  readonly name: string;
  readonly category: string | null;
  readonly description: string;
}

export interface FoundRelationship {
  readonly kind: 'relationship';
  readonly subject: string;
  readonly subjectId: string;
  readonly predicate: string;
  readonly object: string;
  readonly objectId: string;
  readonly description: string;
  readonly weight: number;
}

export interface FoundCommunity {
  readonly kind: 'community';
  readonly name: string;
  readonly summary: string;
  readonly findings: readonly string[];
  readonly collectionId: string;
}

/** A self-contained text of one or a few sentences. */
export function graphHitText({ found }: GraphHit): string {
  switch (found.kind) {
    case 'entity': {
      const category = found.category === null ? '' : ` (${found.category})`;
      return `${found.name}${category}${found.description === '' ? '' : `: ${found.description}`}`;
    }
    case 'relationship': {
      const triple = `${found.subject} – ${found.predicate} – ${found.object}`;
      return found.description === '' ? triple : `${triple}: ${found.description}`;
    }
    case 'community':
      return [`${found.name}: ${found.summary}`, ...found.findings].join('\n');
  }
}

export function graphHitName({ found }: GraphHit): string {
  return found.kind === 'relationship' ? `${found.subject} – ${found.predicate} – ${found.object}` : found.name;
}
