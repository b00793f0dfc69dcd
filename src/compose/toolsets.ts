import {
  corpusTools,
  folderTools,
  ingestTools,
  openaiTools,
  proofTools,
  ragTools,
  researchServiceTools,
  researchTools,
} from '../../tools/index.ts';
import type { Tool } from '../toolbox/tool.ts';

const reachesWeb = ({ needs }: Tool): boolean => needs.includes('web_search') || needs.includes('web_pages');

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
