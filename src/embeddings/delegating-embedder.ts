import type { EmbeddingModel } from './embedding-model.ts';

/** Each member of an embedder, so that a new one cannot be forgotten. */
type EveryMember = { readonly [Member in keyof Required<EmbeddingModel>]: EmbeddingModel[Member] | undefined };

/** An embedder with the members of the current one at each access, and optionally with an `embed` of its own. */
export function delegatingEmbedder(
  current: () => EmbeddingModel,
  embed: EmbeddingModel['embed'] = (...given) => current().embed(...given),
): EmbeddingModel {
  return {
    get name() {
      return current().name;
    },
    get isLexical() {
      return current().isLexical;
    },
    get isLearned() {
      return current().isLearned === true;
    },
    get isSmall() {
      return current().isSmall;
    },
    get isProvisional() {
      return current().isProvisional;
    },
    get fullTextShare() {
      return current().fullTextShare;
    },
    preload: async () => current().preload?.(),
    space: (signal) => current().space(signal),
    embed,
  } satisfies EveryMember;
}
