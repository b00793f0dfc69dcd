/** Folder within the user's cache folder, because all data folders share the models. */
export const MODELS_FOLDER = 'models';

/** What a local model is used for. */
export type LocalModelKind = 'embedding' | 'reranker';

/** A model on the Hugging Face hub that is known to work and free to use. */
export interface CatalogModel {
  readonly name: string;
  readonly kind: LocalModelKind;
  readonly repository: string;
  readonly licence: string;
  readonly languages: string;
  /** Approximate size of the download. */
  readonly megabytes: number;
}

/** Listed with their approximate sizes on the hub; ONNX weights are int8. */
export const catalog: readonly CatalogModel[] = [
  {
    name: 'bge-small-en-v1.5',
    kind: 'embedding',
    repository: 'Xenova/bge-small-en-v1.5',
    licence: 'MIT',
    languages: 'English',
    megabytes: 35,
  },
  {
    name: 'all-minilm-l6-v2',
    kind: 'embedding',
    repository: 'Xenova/all-MiniLM-L6-v2',
    licence: 'Apache-2.0',
    languages: 'English',
    megabytes: 24,
  },
  {
    name: 'multilingual-e5-small',
    kind: 'embedding',
    repository: 'Xenova/multilingual-e5-small',
    licence: 'MIT',
    languages: '100 languages',
    megabytes: 135,
  },
  {
    name: 'potion-multilingual-128m',
    kind: 'embedding',
    repository: 'minishlab/potion-multilingual-128M',
    licence: 'MIT',
    languages: '101 languages',
    megabytes: 530,
  },
  {
    name: 'ms-marco-minilm-l6-v2',
    kind: 'reranker',
    repository: 'Xenova/ms-marco-MiniLM-L-6-v2',
    licence: 'Apache-2.0',
    languages: 'English',
    megabytes: 24,
  },
  {
    name: 'bge-reranker-base',
    kind: 'reranker',
    repository: 'Xenova/bge-reranker-base',
    licence: 'MIT',
    languages: 'English, Chinese and others',
    megabytes: 296,
  },
];

export const catalogModel = (name: string): CatalogModel | undefined => catalog.find((model) => model.name === name);
