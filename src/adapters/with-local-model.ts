import type { Config } from '../config.ts';
import { describeFound, type FoundModel, findLocalModels, rankModels, serverLabels } from '../models/local-servers.ts';
import { type ModelChoices, modelChoices } from '../models/model-choices.ts';
import { earlierTrials, type Trial, tryLocalModel } from './try-local-model.ts';

/** Value of `CITEWELL_MODEL` that selects the best model found on this machine. */
export const AUTO_MODEL = 'auto';

/** Time limit for all trials of one start. Loading an 8 GB model from disk takes about ten seconds. */
const TRIALS_MS = 20_000;
const MAX_TRIALS = 3;
/** Minimum value of `CITEWELL_CONTEXT_TOKENS`. */
const MIN_CONTEXT_TOKENS = 2_000;

export interface LocalModelOptions {
  /** Repeats the trials even if earlier results are known. */
  readonly isFresh?: boolean;
  readonly trialsMs?: number;
}

export interface ChosenModel {
  readonly config: Config;
  /** A sentence about the choice. */
  readonly note: string | undefined;
}

/**
 * The configuration with the model that `CITEWELL_MODEL=auto` chooses. The claims of servers about tool support are
 * verified with one real request per model: the best model that calls a tool is chosen, or else the best one that
 * answers, which gets its tools as text.
 */
export async function withLocalModel(given: Config, options: LocalModelOptions = {}): Promise<ChosenModel> {
  if (given.models.quality !== AUTO_MODEL) return { config: given, note: undefined };
  const found = rankModels((await findLocalModels(given.localServers)).language);
  const { quality: _, ...others } = given.models;
  const { chosen, trials } = await choose(found, given, options);
  if (chosen === undefined) {
    const servers = given.localServers.map(({ name, address }) => `${serverLabels[name]} at ${address}`);
    const places = servers.length === 0 ? 'CITEWELL_LOCAL_MODELS=off' : `looked for ${servers.join(', ')}`;
    const note = `CITEWELL_MODEL=auto found no language model on this machine (${places}).`;
    return { config: { ...given, models: others }, note };
  }
  const { contextTokens = given.contextTokens, hasTools } = chosen;
  const config = {
    ...given,
    models: { ...others, quality: chosen.name },
    // If others may call the service, their requests can reach only the server of the chosen model on this machine.
    ...(!given.usesLocalServers && { usesLocalServers: true, localServers: [chosen.server] }),
    contextTokens: Math.min(given.contextTokens, Math.max(contextTokens, MIN_CONTEXT_TOKENS)),
    textTools: hasTools === true ? given.textTools : [...given.textTools, chosen.name],
  };
  const foundNote = found.length > 1 ? `, of ${found.length} models found` : '';
  const sentences = [
    `CITEWELL_MODEL=auto chose ${describeFound(chosen)}${foundNote}.`,
    ...trials.flatMap(({ model, trial }) => (trial.outcome === 'calls' ? [] : [describeTrial(model, trial)])),
    ...(hasTools === true ? [] : ['It is given tools as text.']),
  ];
  return { config, note: sentences.join(' ') };
}

/** The models to choose from, with results of trials of the last day in place of server claims. Runs no trials. */
export async function triedModelChoices(config: Config): Promise<ModelChoices> {
  const [choices, trialOf] = await Promise.all([modelChoices(config), earlierTrials(config.cacheDir)]);
  const found = choices.found.map((model) => {
    const trial = trialOf(model);
    return trial === undefined ? model : { ...model, ...withTrial(model, trial) };
  });
  return { ...choices, found };
}

interface TriedModel {
  readonly model: FoundModel;
  readonly trial: Trial;
}

async function choose(
  ranked: readonly FoundModel[],
  { cacheDir: cacheFolder }: Config,
  { isFresh = false, trialsMs = TRIALS_MS }: LocalModelOptions,
): Promise<{ readonly chosen: FoundModel | undefined; readonly trials: readonly TriedModel[] }> {
  const trials: TriedModel[] = [];
  const signal = AbortSignal.timeout(trialsMs);
  for (const model of ranked.filter(({ hasTools }) => hasTools !== false).slice(0, MAX_TRIALS)) {
    const trial = await tryLocalModel(model, { cacheFolder, signal, isFresh });
    trials.push({ model, trial });
    if (trial.outcome === 'calls') return { chosen: withTrial(model, trial), trials };
    if (signal.aborted) break;
  }
  const answering = trials.find(({ trial }) => trial.outcome === 'answers');
  if (answering) return { chosen: withTrial(answering.model, answering.trial), trials };
  const failed = new Set(signal.aborted ? [] : trials.map(({ model }) => model));
  const chosen = ranked.find((model) => !failed.has(model)) ?? ranked[0];
  if (chosen === undefined) return { chosen, trials };
  // Tool support that a server claims but no trial confirmed is left out.
  const { hasTools, ...facts } = chosen;
  return { chosen: { ...facts, ...(hasTools === false && { hasTools }) }, trials };
}

function withTrial(model: FoundModel, trial: Trial): FoundModel {
  const contextTokens = (trial.outcome === 'fails' ? undefined : trial.contextTokens) ?? model.contextTokens;
  const hasTools = trial.outcome === 'calls';
  return { ...model, hasTools, isTried: true, ...(contextTokens !== undefined && { contextTokens }) };
}

const describeTrial = ({ name }: FoundModel, trial: Trial): string =>
  trial.outcome === 'fails'
    ? `A trial request to ${name} failed: ${trial.reason.replace(/\.$/, '')}.`
    : `${name} called no tool when it was asked to.`;
