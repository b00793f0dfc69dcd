import {
  corpusTools,
  folderTools,
  ingestTools,
  openaiTools,
  proofTools,
  ragToolNames,
  ragTools,
  researchServiceTools,
  researchToolNames,
  researchTools,
} from '../../tools/index.ts';
import type { Config } from '../config.ts';
import { defaultModelName, EXTRACTIVE_MODEL } from '../models/default-models.ts';
import { sandboxAbsence } from '../sandbox/sandbox-settings.ts';
import type { Tool, ToolNeed } from '../toolbox/tool.ts';

const reachesWeb = ({ needs }: Tool): boolean => needs.includes('web_search') || needs.includes('web_pages');
const all: readonly Tool[] = [...ragTools, ...researchTools];

/** Tools by what they are for, for callers who call them by themselves. The order is the order they are listed in. */
export const toolsets: Readonly<Record<string, readonly Tool[]>> = {
  retrieval: ragTools.filter((tool) => !reachesWeb(tool)),
  web: ragTools.filter(reachesWeb),
  answers: researchTools,
  proof: proofTools,
  corpus: corpusTools,
  folders: folderTools,
  research: [...researchTools, ...researchServiceTools],
  ingest: ingestTools,
  openai: openaiTools,
};

/** Names of the specification for which there is no tool in this version. */
export const unbuiltTools: readonly string[] = [...ragToolNames, ...researchToolNames].filter(
  (name) => !all.some((tool) => tool.name === name),
);

/** Which needs the settings meet, judged without loading anything. */
export function metNeeds(config: Config, folders: readonly string[]): ReadonlySet<ToolNeed> {
  const met = new Set<ToolNeed>(['answerer', 'checker', 'intake', 'facts', 'web_pages']);
  if (config.web.engines.length > 0) met.add('web_search');
  if (hasModel(config)) met.add('reasoner').add('research');
  if (folders.length > 0) met.add('folders');
  if (sandboxAbsence(config.sandbox) === undefined) met.add('sandbox');
  return met;
}

// The first provider with a key decides; a server of one's own answers only by the name of a model.
function hasModel({ models, openai, anthropic }: Config): boolean {
  const configured = [
    ...(openai.apiKey === undefined && openai.baseUrl === undefined ? [] : ['openai']),
    ...(anthropic.apiKey === undefined && anthropic.baseUrl === undefined ? [] : ['anthropic']),
  ];
  return defaultModelName('reasoning', models, configured) !== EXTRACTIVE_MODEL;
}
