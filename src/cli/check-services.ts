import { openReranker } from '../adapters/open-reranker.ts';
import { withLocalModel } from '../adapters/with-local-model.ts';
import type { Config } from '../config.ts';
import { createEmbeddingModel, defaultEmbeddingName } from '../embeddings/registry.ts';
import { ServiceError } from '../errors.ts';
import { collectReply } from '../models/collect-reply.ts';
import { localProviders } from '../models/model-choices.ts';
import { createWebSearch } from '../web/create-web-search.ts';
import { enginesOf } from '../web/web-settings.ts';
import { pictureQuestions, recordingQuestions } from './check-media.ts';
import { indexQuestion, originalsQuestions } from './check-storage.ts';
import type { Finding } from './doctor-checks.ts';
import { modelsFolderOf } from './models.ts';
import { type Question, registryOf, shown } from './service-question.ts';

/** A model may have to be loaded first. */
const LIMIT_MS = 60_000;
const QUESTION = 'When does the ferry leave?';
const PASSAGES = ['The ferry leaves at nine in the morning.', 'The museum is closed on Mondays.'];
/** Enough for models that think before they answer. */
const MAX_TOKENS = 1_000;

/**
 * Sends one small request each to every configured model, embedder, reranker, search service, image reader and storage,
 * and to the index, and measures the time. Local models are measured by `checkLocalModels`.
 */
export async function checkServices(given: Config): Promise<Finding[]> {
  const { config } = await withLocalModel(given);
  const questions = [
    ...modelQuestions(config),
    ...embeddingQuestions(config),
    ...rerankerQuestions(config),
    ...searchQuestions(config),
    ...pictureQuestions(config),
    ...recordingQuestions(config),
    indexQuestion(config),
    ...originalsQuestions(config),
  ];
  return Promise.all(questions.map(findingOf));
}

async function findingOf({ name, subject, variable, ask }: Question): Promise<Finding> {
  const start = performance.now();
  const signal = AbortSignal.timeout(LIMIT_MS);
  const spent = () => `${((performance.now() - start) / 1000).toFixed(1)} s`;
  try {
    const answer = await ask(signal);
    return { name, state: 'ok', detail: `${subject} answered in ${spent()}: ${answer}` };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const reason = signal.aborted ? `no answer within ${LIMIT_MS / 1000} s` : error.message;
    const fix = `Correct or remove ${variable}, or start what it names.`;
    return { name, state: 'wrong', detail: `${subject} did not answer (${spent()}): ${reason}`, fix };
  }
}

function modelQuestions(config: Config): Question[] {
  const registry = registryOf(config);
  const named = [
    ['CITEWELL_MODEL', registry.defaultName('quality')],
    ['CITEWELL_FAST_MODEL', registry.defaultName('fast')],
    ['CITEWELL_REASONING_MODEL', registry.defaultName('reasoning')],
    ['CITEWELL_FALLBACK_MODEL', config.models.fallback],
    ['CITEWELL_GRAPH_MODEL', config.graph.model],
  ] as const;
  const variables = new Map<string, string>();
  for (const [variable, name] of named) {
    if (name === undefined || name.startsWith('builtin/')) continue;
    const known = variables.get(name);
    variables.set(name, known === undefined ? variable : `${known}, ${variable}`);
  }
  return [...variables].map(([subject, variable]) => ({
    name: 'Model',
    subject,
    variable: `${variable}, or the key or address of its provider`,
    ask: async (signal) => {
      const content = `Answer in one short sentence. ${PASSAGES[0]} ${QUESTION}`;
      const messages = [{ role: 'user', text: content }] as const;
      const request = { messages, tools: [], config: { maxTokens: MAX_TOKENS }, signal };
      const { text } = await collectReply(registry.resolve(subject, 'fast'), request);
      if (text.trim() === '') throw new ServiceError('provider_failed', 'the answer is empty');
      return shown(text);
    },
  }));
}

function embeddingQuestions(config: Config): Question[] {
  const subject = config.embeddingModel ?? defaultEmbeddingName(config);
  if (/^(builtin|local)\//.test(subject)) return [];
  return [
    {
      name: 'Embeddings',
      subject,
      variable: 'CITEWELL_EMBEDDING_MODEL, or the key or address of its provider',
      ask: async (signal) => {
        const settings = { ...config, modelsFolder: modelsFolderOf(config), local: localProviders(config) };
        const model = createEmbeddingModel(subject, settings);
        const [vector] = await model.embed([QUESTION], 'query', signal);
        return `${vector?.length ?? 0} dimensions`;
      },
    },
  ];
}

function rerankerQuestions(config: Config): Question[] {
  const settings = config.reranker;
  if (settings === undefined || settings.name.startsWith('local/')) return [];
  return [
    {
      name: 'Reranker',
      subject: settings.name,
      variable: 'CITEWELL_RERANKER, or the key or address of its provider',
      ask: async (signal) => {
        const parts = { settings, models: registryOf(config), modelsFolder: modelsFolderOf(config) };
        const reranker = openReranker(parts);
        // Language models that rerank are asked as models.
        if (reranker === undefined || 'model' in reranker) return 'a language model';
        const ranked = await reranker.rank({ query: QUESTION, texts: PASSAGES }, signal);
        const [best] = ranked.toSorted((one, other) => other.score - one.score);
        if (best?.index === 0) return 'the right passage first';
        throw new ServiceError('provider_failed', 'it did not rank the answering passage first');
      },
    },
  ];
}

const searchQuestions = ({ web }: Config): Question[] =>
  enginesOf(web).map((engine) => ({
    name: 'Web search',
    subject: engine.name,
    variable: engine.name === 'searxng' ? 'SEARXNG_URL' : `${engine.name.toUpperCase()}_API_KEY`,
    ask: async (signal) => {
      const search = createWebSearch({ engines: [engine] });
      try {
        const query = { text: 'weather', limit: 1, includeDomains: [], excludeDomains: [] };
        const { results } = await search.search(query, signal);
        return results[0] === undefined ? 'no result' : shown(results[0].title);
      } finally {
        await search.close();
      }
    },
  }));
