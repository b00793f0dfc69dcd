import type { Config } from '../config.ts';
import { localProviders } from '../models/model-choices.ts';
import { createModelRegistry, type ModelSettings } from '../models/registry.ts';

/** A test request to a configured model or service; `ask` returns a short description of the answer. */
export interface Question {
  readonly name: string;
  /** Name of the model or service. */
  readonly subject: string;
  /** The environment variable to correct if there is no answer. */
  readonly variable: string;
  ask(signal: AbortSignal): Promise<string>;
}

/** Creates the models without the fallback, which would hide the failure of another model. */
export const registryOf = (config: Config) => {
  const { fallback: _, ...models } = config.models;
  const settings: ModelSettings = {
    ...config,
    models,
    concurrency: config.modelStreams,
    local: localProviders(config),
  };
  return createModelRegistry(settings);
};

const MAX_SHOWN = 60;

/** The beginning of an answer, in one line. */
export const shown = (text: string): string => {
  const line = text.replaceAll(/\p{C}+|\s+/gu, ' ').trim();
  return line.length > MAX_SHOWN ? `${line.slice(0, MAX_SHOWN)}…` : line;
};
