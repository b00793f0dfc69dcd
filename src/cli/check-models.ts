import { z } from 'zod';
import { type ConfiguredServer, modelServers, networkReason, silenceOf } from '../adapters/configured-servers.ts';
import { AUTO_MODEL, triedModelChoices, withLocalModel } from '../adapters/with-local-model.ts';
import type { Config } from '../config.ts';
import { bestModel, describeEmbedder, describeFound } from '../models/local-servers.ts';
import { modelChoices } from '../models/model-choices.ts';
import { SUGGESTED_SETTINGS } from '../models/suggested-settings.ts';
import type { Finding } from './doctor-checks.ts';

const ANSWERS_WITHIN_MS = 5_000;
const OLLAMA_TAGS = 'api/tags';

const NAME = 'Models';

/**
 * Reports which keys are set (never their values) and whether servers with a configured address answer. The providers'
 * own addresses are not called, since that would need a key and the network.
 */
export async function checkModels(config: Config): Promise<Finding[]> {
  const [configured, local, embedders] = await Promise.all([
    checkConfigured(config),
    checkLocal(config),
    checkLocalEmbedders(config),
  ]);
  return [...configured, ...local, ...embedders];
}

/** Models of servers on this machine, and which of them `CITEWELL_MODEL=auto` takes. */
async function checkLocal(given: Config): Promise<Finding[]> {
  const name = 'Local models';
  const { config, note } = await withLocalModel(given, { isFresh: true });
  if (note !== undefined) {
    if (config.models.quality !== undefined) return [{ name, state: 'ok', detail: note }];
    const fix = 'Start one of these servers with a model, or name a model in CITEWELL_MODEL.';
    return [{ name, state: 'warning', detail: note, fix }];
  }
  const { found } = await triedModelChoices(config);
  const best = bestModel(found);
  if (best === undefined) return [];
  const detail = `found ${found.map(describeFound).join('; ')}`;
  const { settings = [] } = found.find((model) => model.name === best.name) ?? {};
  const isOpen = config.models.quality === undefined;
  return [
    { name, state: 'ok', detail, ...(isOpen && { fix: `Set ${settings.join(' and ')} to use it for answers.` }) },
  ];
}

/** Embedding models of servers on this machine. */
async function checkLocalEmbedders(config: Config): Promise<Finding[]> {
  const { embedders } = await modelChoices(config);
  const [first] = embedders;
  if (first === undefined) return [];
  const detail = `found ${embedders.map(describeEmbedder).join('; ')}`;
  const others = embedders.length > 1 ? ' (or another one)' : '';
  const fix =
    `Set ${first.settings.join(' and ')}${others} to search by meaning with it; ` +
    '"citewell reindex" then embeds what is stored.';
  return [{ name: 'Local embeddings', state: 'ok', detail, ...(config.embeddingModel === undefined && { fix }) }];
}

async function checkConfigured(config: Config): Promise<Finding[]> {
  const { quality = '' } = config.models;
  // Models found on this machine need no key and are reported by `checkLocal`.
  const isLocal = quality === AUTO_MODEL || config.localServers.some(({ name }) => quality.startsWith(`${name}/`));
  const { openai, anthropic, ollama, providers } = config;
  const present = [
    ...(openai.apiKey === undefined ? [] : ['OPENAI_API_KEY']),
    ...(anthropic.apiKey === undefined ? [] : ['ANTHROPIC_API_KEY']),
    ...(ollama.baseUrl === undefined ? [] : ['OLLAMA_BASE_URL']),
    ...providers.map(({ name }) => `${name} of CITEWELL_PROVIDERS`),
  ];
  if (present.length === 0 && openai.baseUrl === undefined) {
    if (isLocal) return [];
    const named = modelVariables(config).filter(([, model]) => !model.startsWith('builtin/'));
    if (named.length > 0) {
      return named.map(([variable, model]) => ({
        name: NAME,
        state: 'wrong',
        detail: `${variable} is ${model}, and no key or address of a provider is set`,
        fix: `Set the key of its provider, such as OPENAI_API_KEY or ANTHROPIC_API_KEY, or remove ${variable}; until then "citewell serve" does not start.`,
      }));
    }
    return [
      {
        name: NAME,
        state: 'warning',
        detail: `no key is set: answers are quotations${config.embeddingModel === undefined ? ', and embeddings are learned from the documents' : ''}`,
        fix: `For written answers, set ${SUGGESTED_SETTINGS}.`,
      },
    ];
  }
  const results = await Promise.all([
    ...modelServers({ ...config, ollama: {} }).map(checkAddress),
    ...(ollama.baseUrl === undefined ? [] : [checkOllama(ollama.baseUrl, config)]),
  ]);
  const findings = results.flat();
  return findings.length > 0 ? findings : [{ name: NAME, state: 'ok', detail: `set: ${present.join(', ')}` }];
}

/** The variables that name a language model, with their values. */
const modelVariables = ({ models: { quality, fast, reasoning, fallback } }: Config): [string, string][] =>
  Object.entries({
    CITEWELL_MODEL: quality,
    CITEWELL_FAST_MODEL: fast,
    CITEWELL_REASONING_MODEL: reasoning,
    CITEWELL_FALLBACK_MODEL: fallback,
  }).flatMap(([variable, model]) => (model === undefined ? [] : [[variable, model]]));

async function checkAddress(server: ConfiguredServer): Promise<Finding[]> {
  const { variable, url } = server;
  const silence = await silenceOf(server);
  return [
    silence === undefined
      ? { name: NAME, state: 'ok', detail: `${variable}: ${url} answers` }
      : unreachable(variable, silence),
  ];
}

const tags = z.object({ models: z.array(z.object({ name: z.string() })) });

async function checkOllama(url: string, { models, embeddingModel }: Config): Promise<Finding[]> {
  const variable = 'OLLAMA_BASE_URL';
  let known: string[];
  try {
    const response = await ask(new URL(OLLAMA_TAGS, url.endsWith('/') ? url : `${url}/`));
    known = tags.parse(JSON.parse(response)).models.map(({ name }) => name);
  } catch (error) {
    return [unreachable(variable, `${variable}: ${url} does not answer (${reasonOf(error)})`)];
  }
  const named = [models.quality, models.fast, models.reasoning, models.fallback, embeddingModel].flatMap((model) =>
    model?.startsWith('ollama/') ? [model.slice('ollama/'.length)] : [],
  );
  const missing = [...new Set(named)].filter((name) => !known.includes(name) && !known.includes(`${name}:latest`));
  const detail = `${variable}: ${url} answers, with ${known.length === 0 ? 'no model' : known.join(', ')}`;
  if (missing.length === 0) return [{ name: NAME, state: 'ok', detail }];
  const fix = missing.map((name) => `ollama pull ${name}`).join('; ');
  return [{ name: NAME, state: 'wrong', detail: `${detail}; not ${missing.join(', ')}`, fix: `Run: ${fix}` }];
}

const unreachable = (variable: string, detail: string): Finding => ({
  name: NAME,
  state: 'wrong',
  detail,
  fix: `Start that server, or correct ${variable}.`,
});

async function ask(url: string | URL): Promise<string> {
  const response = await fetch(url, { signal: AbortSignal.timeout(ANSWERS_WITHIN_MS), redirect: 'manual' });
  return response.text();
}

const reasonOf = (error: unknown): string =>
  error instanceof z.ZodError || error instanceof SyntaxError ? 'it is not an Ollama server' : networkReason(error);
