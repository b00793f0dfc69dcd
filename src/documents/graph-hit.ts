/** What a search found in the graph; as told by what the one who asks may see. */
export interface GraphHit {
  readonly id: string;
  /** Above 0, at most 1. */
  readonly score: number;
  /** Passages that say so, the most telling first; empty for what was made by hand. */
  readonly chunkIds: readonly string[];
  /** Where that stands. */
  readonly documents: readonly { readonly id: string; readonly title: string }[];
  readonly found: FoundEntity | FoundRelationship | FoundCommunity;
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

/** In one sentence or a few, for a reader who sees nothing else of it. */
export function graphHitText({ found }: GraphHit): string {
  switch (found.kind) {
    case 'entity': {
      const category = found.category === null ? '' : ` (${found.category})`;
      return `${found.name}${category}${found.description === '' ? '' : `: ${found.description}`}`;
    }
    case 'relationship': {
      const said = `${found.subject} – ${found.predicate} – ${found.object}`;
      return found.description === '' ? said : `${said}: ${found.description}`;
    }
    case 'community':
      return [`${found.name}: ${found.summary}`, ...found.findings].join('\n');
  }
}

export function graphHitName({ found }: GraphHit): string {
  return found.kind === 'relationship' ? `${found.subject} – ${found.predicate} – ${found.object}` : found.name;
}
