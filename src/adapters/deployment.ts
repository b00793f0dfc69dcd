import type { Deployment } from '../compose/adapters.ts';
import type { Config } from '../config.ts';
import { nameOfDatabase } from '../store/name-of-database.ts';
import { readVersion } from '../version.ts';
import { webFacts } from '../web/describe-web.ts';
import { watchConfiguredServers } from './configured-servers.ts';
import { hintsFor } from './hints.ts';
import { isFree, modelPrices } from './model-prices.ts';
import { shownSettings } from './shown-settings.ts';
import { triedModelChoices } from './with-local-model.ts';

interface OpenedAdapters {
  readonly dataFolder: string;
  /** The embedder the settings would select for a new corpus. */
  readonly preferredEmbedder: string;
  /** How the model was chosen, if the settings leave it open. */
  readonly note: string | undefined;
}

export const deploymentOf = (config: Config, { dataFolder, preferredEmbedder, note }: OpenedAdapters): Deployment => ({
  version: readVersion(),
  data: dataFolder,
  ...(config.databaseUrl !== undefined && { database: `PostgreSQL, ${nameOfDatabase(config.databaseUrl)}` }),
  index: config.vectorIndex === 'pgvector' ? 'pgvector' : config.chroma ? 'remote' : 'embedded',
  web: webFacts(config.web),
  settings: ({ models, embedder }) => shownSettings(config, { models, embedder: embedder.name }),
  modelChoices: () => triedModelChoices(config),
  silentServers: watchConfiguredServers(config),
  hints: ({ models, embedder, hasIndex }) => [
    ...(note === undefined ? [] : [note]),
    ...hintsFor({
      model: models.defaultName('quality'),
      modelSetting: config.models.quality,
      providers: configuredProviders(config),
      embedder,
      isFree: isFree(models.defaultName('quality'), modelPrices(config)),
      isSummarising: config.summaries === 'model',
      preferredEmbedder,
      embeddingModelSetting: config.embeddingModel,
      indexProblem: hasIndex || config.vectorIndex === 'pgvector' ? undefined : remoteIndexProblem(config.chroma),
    }),
  ],
});

function configuredProviders({ openai, anthropic, ollama, providers }: Config): string[] {
  return [
    ...(openai.apiKey === undefined && openai.baseUrl === undefined ? [] : ['openai']),
    ...(anthropic.apiKey === undefined ? [] : ['anthropic']),
    ...(ollama.baseUrl === undefined ? [] : ['ollama']),
    ...providers.map(({ name }) => name),
  ];
}

const remoteIndexProblem = (chroma: Config['chroma']): string | undefined =>
  chroma &&
  `The Chroma of CHROMA_URL (${chroma.url}) does not answer: searches use the stored vectors, which takes longer. ` +
    '"citewell doctor" says what is wrong.';
