import { LEARNED_EMBEDDING } from '../embeddings/registry.ts';

/** What hints depend on. */
export interface HintFacts {
  /** The model that answers. */
  readonly model: string;
  /** The embedder in use. */
  readonly embedder: { readonly name: string; readonly isLexical: boolean; readonly isLearned?: boolean };
  /** The embedder the present settings would choose for a new corpus. */
  readonly preferredEmbedder: string;
  /** `CITEWELL_EMBEDDING_MODEL` */
  readonly embeddingModelSetting: string | undefined;
}

/** What would make answers and search better, one sentence each, naming the variable or the command. */
export function hintsFor({ model, embedder, preferredEmbedder, embeddingModelSetting }: HintFacts): string[] {
  const hints: string[] = [];
  const how = embedder.isLearned
    ? 'Search is by words and by what goes with them in your documents.'
    : 'Search is by words.';
  if (model.startsWith('builtin/')) {
    hints.push(
      'No language model is configured: answers are quotations. ' +
        'Set OPENAI_API_KEY or ANTHROPIC_API_KEY (or OLLAMA_BASE_URL with CITEWELL_MODEL=ollama/<name>) for written ones.',
    );
  }
  // What is named may still have to be learned; the status says so.
  const isAwaited = embeddingModelSetting === LEARNED_EMBEDDING && embedder.isLexical;
  if (isAwaited) return hints;
  if (embeddingModelSetting !== undefined && embeddingModelSetting !== embedder.name) {
    hints.push(
      `CITEWELL_EMBEDDING_MODEL says ${embeddingModelSetting}, but the corpus is embedded with ${embedder.name}: ` +
        'change or remove it before the next start.',
    );
  } else if (embedder.isLexical && preferredEmbedder !== embedder.name && !preferredEmbedder.startsWith('builtin/')) {
    hints.push(`${how} To search by meaning with ${preferredEmbedder}: citewell reindex --to ${preferredEmbedder}`);
  } else if (embedder.isLexical) {
    hints.push(`${how} Set OPENAI_API_KEY or CITEWELL_EMBEDDING_MODEL to search by meaning.`);
  }
  return hints;
}
