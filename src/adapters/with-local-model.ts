import type { Config } from '../config.ts';
import { bestModel, describeFound, findLocalModels, serverLabels } from '../models/local-servers.ts';

/** The setting that takes the best model found on this machine. */
export const AUTO_MODEL = 'auto';

/** The configuration with the model that `CITEWELL_MODEL=auto` chooses, and a sentence about the choice. */
export async function withLocalModel(
  config: Config,
): Promise<{ readonly config: Config; readonly note: string | undefined }> {
  if (config.models.quality !== AUTO_MODEL) return { config, note: undefined };
  const found = await findLocalModels(config.localServers);
  const best = bestModel(found);
  const { quality: _, ...others } = config.models;
  if (best === undefined) {
    const servers = config.localServers.map(({ name, address }) => `${serverLabels[name]} at ${address}`);
    const places = servers.length === 0 ? 'CITEWELL_LOCAL_MODELS=off' : `looked for ${servers.join(', ')}`;
    const note = `CITEWELL_MODEL=auto found no language model on this machine (${places}).`;
    return { config: { ...config, models: others }, note };
  }
  const { contextTokens = config.contextTokens, hasTools } = best;
  return {
    config: {
      ...config,
      models: { ...others, quality: best.name },
      // Where others may call the service, their requests reach the server of this model and no other address here.
      ...(!config.usesLocalServers && { usesLocalServers: true, localServers: [best.server] }),
      contextTokens: Math.min(config.contextTokens, Math.max(contextTokens, LEAST_CONTEXT)),
      textTools: hasTools === false ? [...config.textTools, best.name] : config.textTools,
    },
    note: `CITEWELL_MODEL=auto chose ${describeFound(best)}${found.length > 1 ? `, of ${found.length} models found` : ''}.`,
  };
}

/** The least that the setting allows. */
const LEAST_CONTEXT = 2_000;
