import { type ErrorCode, namingSetting, ServiceError } from '../../errors.ts';
import type { VectorSpace, VectorSpaces } from '../../store/vector-spaces.ts';
import type { Embedders } from '../embedders.ts';
import type { EmbeddingModel } from '../embedding-model.ts';
import { createLexicalHash } from '../lexical-hash.ts';

export interface EmbedderChoice {
  readonly embedders: Pick<Embedders, 'required' | 'preferred' | 'create'>;
  readonly current: VectorSpace | undefined;
  /** Keep the embedder of the corpus, regardless of the configuration. */
  readonly keep: boolean;
}

/** Without configuration the corpus decides, so that an API key added later does not invalidate its vectors. */
export function chooseEmbedder({ embedders, current, keep }: EmbedderChoice): EmbeddingModel {
  const { required, preferred } = embedders;
  if (required !== undefined && !keep) {
    return namingSetting('CITEWELL_EMBEDDING_MODEL', () => embedders.create(required));
  }
  try {
    return embedders.create(current?.embedder ?? preferred);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    // Read-only commands embed nothing, and re-embedding brings its own embedder.
    if (keep) return createLexicalHash();
    if (current === undefined) throw error;
    throw new ServiceError(
      error.code,
      `The corpus is embedded with ${current.embedder}, which cannot be used now: ${error.message} ` +
        `Or re-embed it with an available embedder: citewell reindex --to ${preferred}`,
      { cause: error },
    );
  }
}

const SPACE_TIMEOUT_MS = 10_000;
const OUTAGE_CODES: ReadonlySet<ErrorCode> = new Set(['provider_failed', 'rate_limited', 'timeout', 'cancelled']);

export interface SpaceToClaim {
  readonly spaces: Pick<VectorSpaces, 'claim'>;
  readonly current: VectorSpace | undefined;
  readonly warn: (message: string, cause: unknown) => void;
}

/** Checks that the corpus uses this embedder, or sets it. Throws `embedding_mismatch`, naming both and `citewell reindex`. */
export async function claimSpace(embeddings: EmbeddingModel, { spaces, current, warn }: SpaceToClaim): Promise<void> {
  try {
    await spaces.claim(await embeddings.space(AbortSignal.timeout(SPACE_TIMEOUT_MS)));
  } catch (error) {
    // Some providers must be queried for their dimension. An outage must not prevent opening a corpus embedded with that
    // provider: full text still works, and vectors of another dimension are rejected on arrival.
    const isOutage = error instanceof ServiceError && OUTAGE_CODES.has(error.code);
    if (!isOutage || current?.embedder !== embeddings.name) throw error;
    warn(`${embeddings.name} does not answer; search is by full text until it does.`, error);
  }
}

/** The embedder that a re-embedding switches to. */
export async function targetEmbedder(
  spaces: Pick<VectorSpaces, 'list'>,
  { model, back }: { readonly model?: string; readonly back: boolean },
  preferred: string,
): Promise<string> {
  if (!back) return model ?? preferred;
  const previous = (await spaces.list()).find(({ state }) => state === 'previous');
  if (previous === undefined) throw new ServiceError('invalid_request', 'There is no earlier embedder to go back to.');
  return previous.embedder;
}
