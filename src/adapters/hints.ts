import { isBuiltIn, LEARNED_EMBEDDING, STATIC_EMBEDDING } from '../embeddings/built-in-names.ts';
import { SUGGESTED_SETTINGS } from '../models/suggested-settings.ts';

/** Input of the hints. */
export interface HintFacts {
  /** The answering model. */
  readonly model: string;
  /** The embedder in use. */
  readonly embedder: { readonly name: string; readonly isLexical: boolean; readonly isLearned?: boolean };
  /** The embedder the settings would select for a new corpus. */
  readonly preferredEmbedder: string;
  /** `CITEWELL_EMBEDDING_MODEL` */
  readonly embeddingModelSetting: string | undefined;
  /** `CITEWELL_MODEL` */
  readonly modelSetting?: string | undefined;
  /** Configured providers: `openai`, `anthropic`, `ollama`, and those of `CITEWELL_PROVIDERS`. */
  readonly providers?: readonly string[];
  /** Whether the answering model is known to cost nothing. */
  readonly isFree?: boolean;
  /** Whether the language model summarises documents. */
  readonly isSummarising?: boolean;
  /** Why the vector index of `CHROMA_URL` cannot be used. */
  readonly indexProblem?: string | undefined;
}

const BUILT_IN_EMBEDDINGS: ReadonlyMap<string, string> = new Map([
  [LEARNED_EMBEDDING, 'and embeddings learned from your documents'],
  [STATIC_EMBEDDING, 'and embeddings that come with Citewell, which know English best'],
]);

/** Suggestions for better answers and search, one sentence each, naming the variable or command. */
export function hintsFor(facts: HintFacts): string[] {
  const { model, embedder, preferredEmbedder, embeddingModelSetting, indexProblem } = facts;
  const hints: string[] = indexProblem === undefined ? [] : [indexProblem];
  const basis = `Search uses words ${BUILT_IN_EMBEDDINGS.get(embedder.name) ?? 'only'}.`;
  if (model.startsWith('builtin/')) hints.push(quotationsHint(facts));
  else if (facts.isSummarising === true) {
    const price = facts.isFree === true ? 'which takes time but costs nothing' : 'which costs money';
    hints.push(
      `${model} summarises each new document, ${price}. Set CITEWELL_SUMMARIES=extract for summaries without a model.`,
    );
  }
  // The configured embedder may still have to be trained; the status reports that.
  const isAwaited = embeddingModelSetting === LEARNED_EMBEDDING && embedder.isLexical;
  if (isAwaited) return hints;
  if (embeddingModelSetting !== undefined && embeddingModelSetting !== embedder.name) {
    hints.push(
      `CITEWELL_EMBEDDING_MODEL is ${embeddingModelSetting}, but the corpus is embedded with ${embedder.name}: ` +
        'change or remove it before the next start.',
    );
  } else if (embedder.isLexical && preferredEmbedder !== embedder.name && !isBuiltIn(preferredEmbedder)) {
    hints.push(`${basis} To search by meaning with ${preferredEmbedder}: citewell reindex --to ${preferredEmbedder}`);
  } else if (embedder.isLexical && embeddingModelSetting === undefined) {
    hints.push(`${basis} Set OPENAI_API_KEY or CITEWELL_EMBEDDING_MODEL to search by meaning.`);
  }
  return hints;
}

/** Never suggests a provider if one is configured: then only the model has to be named. */
function quotationsHint({ modelSetting, providers = [] }: HintFacts): string {
  if (modelSetting?.startsWith('builtin/')) {
    return `Answers are quotations, because of CITEWELL_MODEL=${modelSetting}.`;
  }
  const [provider] = providers;
  if (provider !== undefined) {
    return `No language model is named: answers are quotations. Set CITEWELL_MODEL=${provider}/<name> for written answers.`;
  }
  return `No language model is configured: answers are quotations. For written answers, set ${SUGGESTED_SETTINGS}.`;
}
