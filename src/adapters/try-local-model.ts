import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { type FoundModel, findLocalModels } from '../models/local-servers.ts';
import type { Model, ToolSpec } from '../models/model.ts';
import { openAiModel } from '../models/openai/openai-model.ts';
import { openAiClient } from '../models/openai/openai-provider.ts';
import { configuredProviders } from '../models/provider-settings.ts';
import { createRejectedParameters } from '../models/rejected-parameters.ts';
import { isToolRejection } from '../models/text-tools.ts';
import { defaultTimeLimits } from '../models/watch-stream.ts';
import { errorMessage } from '../shared/error-message.ts';
import { jsonOrUndefined } from '../shared/text.ts';
import { writeWholeFile } from '../shared/write-whole-file.ts';
import { privateFolderProblem } from '../user-cache.ts';

/** Result of a trial: the model called the tool, answered without calling it, or failed for the given reason. */
export type Trial =
  | { readonly outcome: 'calls' | 'answers'; readonly contextTokens?: number | undefined }
  | { readonly outcome: 'fails'; readonly reason: string };

export interface TrialOptions {
  /** Folder that keeps results for later starts; if undefined, they are kept in this process only. */
  readonly cacheFolder: string | undefined;
  readonly signal: AbortSignal;
  /** Repeats the trial even if an earlier result is known. */
  readonly isFresh?: boolean;
}

/** Results expire after a day, because they may change with the version and settings of the model server. */
const CACHE_MS = 24 * 60 * 60 * 1_000;
const MAX_CACHED = 100;
const CACHE_FILE = 'local-model-trials.json';
/** Enough for models that think before they call. */
const MAX_TOKENS = 1_000;

const WORD = 'ferry';
const lookUp: ToolSpec = {
  name: 'look_up_word',
  description: 'Looks a word up in the dictionary.',
  inputSchema: { type: 'object', properties: { word: { type: 'string' } }, required: ['word'] },
};

/**
 * Asks a local model once to call a tool, as answers do, and reads its context size while it is loaded. Successful
 * trials are cached for a day per server, model and digest; failures are not cached. Does not throw.
 */
export async function tryLocalModel(model: FoundModel, options: TrialOptions): Promise<Trial> {
  const { cacheFolder, signal, isFresh = false } = options;
  const earlier = isFresh ? undefined : (await earlierTrials(cacheFolder))(model);
  if (earlier !== undefined) return earlier;
  try {
    const outcome = (await callsTool(model, signal)) ? 'calls' : 'answers';
    // Some servers know the real context only while the model is loaded.
    const { language } = await findLocalModels([model.server]);
    const loaded = language.find(({ name }) => name === model.name);
    const trial = { outcome, contextTokens: loaded?.contextTokens, at: Date.now() } as const;
    known.set(keyOf(model), trial);
    await writeTrials(cacheFolder, { ...(await readTrials(cacheFolder)), ...Object.fromEntries(known) });
    return trial;
  } catch (error) {
    const reason = signal.aborted ? 'no answer in time' : errorMessage(error);
    return { outcome: 'fails', reason };
  }
}

/** Returns a function that finds trials of the last day, in this process and in the folder. */
export async function earlierTrials(folder: string | undefined): Promise<(model: FoundModel) => Trial | undefined> {
  const stored = await readTrials(folder);
  return (model) => {
    const key = keyOf(model);
    const trial = known.get(key) ?? stored[key];
    return trial !== undefined && isCurrent(trial) ? trial : undefined;
  };
}

async function callsTool(model: FoundModel, signal: AbortSignal): Promise<boolean> {
  const text = `Call the tool ${lookUp.name} with the word "${WORD}". Write nothing else.`;
  const events = bareModel(model).stream({
    messages: [{ role: 'user', text }],
    tools: [lookUp],
    config: { maxTokens: MAX_TOKENS },
    signal,
  });
  let isCalled = false;
  try {
    for await (const event of events) {
      if (event.type !== 'tool_call' || event.call.name !== lookUp.name) continue;
      isCalled ||= JSON.stringify(event.call.arguments).toLowerCase().includes(WORD);
    }
  } catch (error) {
    if (isToolRejection(error)) return false;
    throw error;
  }
  return isCalled;
}

/** A model without tool emulation and without retries, which would hide the behaviour of the model itself. */
function bareModel({ name, server }: FoundModel): Model {
  const [provider] = configuredProviders({ local: [{ name: server.name, baseUrl: `${server.address}/v1` }] });
  if (provider === undefined) throw new Error(`${server.name} is not a provider.`);
  return openAiModel(name.slice(server.name.length + 1), {
    provider,
    client: openAiClient(provider),
    limits: defaultTimeLimits,
    rejected: createRejectedParameters(),
  });
}

const cachedTrial = z.object({
  outcome: z.enum(['calls', 'answers']),
  contextTokens: z.number().positive().optional(),
  at: z.number(),
});
const cachedTrials = z.record(z.string(), cachedTrial);
type CachedTrial = z.infer<typeof cachedTrial>;

const known = new Map<string, CachedTrial>();

const isCurrent = ({ at }: CachedTrial): boolean => Math.abs(Date.now() - at) < CACHE_MS;

const keyOf = ({ name, server, digest = '' }: FoundModel): string =>
  createHash('sha256')
    .update(JSON.stringify([server.address, name, digest]))
    .digest('hex');

/** Unreadable results count as absent, so that the trials are repeated. */
async function readTrials(folder: string | undefined): Promise<Readonly<Record<string, CachedTrial>>> {
  if (folder === undefined) return {};
  const text = await readFile(join(folder, CACHE_FILE), 'utf8').catch(() => '');
  return cachedTrials.safeParse(jsonOrUndefined(text)).data ?? {};
}

async function writeTrials(folder: string | undefined, trials: Readonly<Record<string, CachedTrial>>): Promise<void> {
  if (folder === undefined || privateFolderProblem(folder) !== undefined) return;
  const current = Object.entries(trials).filter(([, trial]) => isCurrent(trial));
  // Failures are ignored: a trial that cannot be stored is repeated at the next start.
  await writeWholeFile(join(folder, CACHE_FILE), JSON.stringify(Object.fromEntries(current.slice(-MAX_CACHED)))).catch(
    () => undefined,
  );
}
