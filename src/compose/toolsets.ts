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
import type { Tool } from '../toolbox/tool.ts';

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
export const unimplementedTools: readonly string[] = [...ragToolNames, ...researchToolNames].filter(
  (name) => !all.some((tool) => tool.name === name),
);
