import { type FoundEmbedder, type FoundModel, findLocalModels, type LocalServer } from './local-servers.ts';
import { configuredProviders, type NamedProvider, type ProviderSettings } from './provider-settings.ts';

/** Providers and models that a person can choose from. Contains no secrets. */
export interface ModelChoices {
  readonly providers: readonly {
    readonly name: string;
    readonly label: string;
    readonly address: string;
    readonly hasKey: boolean;
  }[];
  /** False if the settings turn the search for models off. */
  readonly looksForModels: boolean;
  /** Language models found on this machine. */
  readonly found: readonly OfferedModel[];
  /** Embedding models found on this machine. */
  readonly embedders: readonly OfferedEmbedder[];
}

export interface OfferedModel extends FoundModel {
  /** Whether requests can name it now, without further settings. */
  readonly isUsable: boolean;
  /** The variables that make it answer by default. */
  readonly settings: readonly string[];
}

export interface OfferedEmbedder extends FoundEmbedder {
  /** The variables that make a new corpus use it. */
  readonly settings: readonly string[];
}

/** How local servers are used; a subset of `Config`. */
export interface LocalModelSettings {
  readonly localServers: readonly LocalServer[];
  /** Whether requests may name models of these servers although they are not configured. */
  readonly usesLocalServers: boolean;
}

/** The local servers as providers, for requests that name their models. They are not contacted before that. */
export const localProviders = ({ localServers, usesLocalServers }: LocalModelSettings): readonly NamedProvider[] =>
  usesLocalServers ? localServers.map(({ name, address }) => ({ name, baseUrl: `${address}/v1` })) : [];

/** Looks for models on this machine. */
export async function modelChoices(settings: ProviderSettings & LocalModelSettings): Promise<ModelChoices> {
  const providers = configuredProviders(settings);
  const { language, embedding } = await findLocalModels(settings.localServers);
  const isUsable = ({ server }: FoundEmbedder) =>
    settings.usesLocalServers || providers.some(({ name }) => name === server.name);
  const settingsOf = (model: FoundEmbedder, variable: string) => [
    ...(isUsable(model) ? [] : [addressSetting(model.server)]),
    `${variable}=${model.name}`,
  ];
  return {
    providers: providers.map(({ name, label, address, hasKey }) => ({ name, label, address, hasKey })),
    looksForModels: settings.localServers.length > 0,
    found: language.map((model) => ({
      ...model,
      isUsable: isUsable(model),
      settings: settingsOf(model, 'CITEWELL_MODEL'),
    })),
    embedders: embedding.map((model) => ({ ...model, settings: settingsOf(model, 'CITEWELL_EMBEDDING_MODEL') })),
  };
}

const addressSetting = ({ name, address }: LocalServer): string =>
  name === 'ollama' ? `OLLAMA_BASE_URL=${address}` : `CITEWELL_PROVIDERS=${name}=${address}/v1`;
