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

/** Groups of tools for MCP clients, in listing order. */
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

/** Tool names of the specification that this version does not implement. */
export const unimplementedTools: readonly string[] = [...ragToolNames, ...researchToolNames].filter(
  (name) => !all.some((tool) => tool.name === name),
);
