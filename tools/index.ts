import { content } from './rag/content.ts';
import { getFileContent } from './rag/get-file-content.ts';
import { searchFileDescriptions } from './rag/search-file-descriptions.ts';
import { searchFileKnowledge } from './rag/search-file-knowledge.ts';
import { critique } from './research/critique.ts';
import { rag } from './research/rag.ts';
import { reasoning } from './research/reasoning.ts';

/** The tools of the RAG mode, spec.md 4.3. */
export const ragTools = [searchFileKnowledge, searchFileDescriptions, content, getFileContent] as const;

/** The tools of the Research mode, spec.md 4.3. */
export const researchTools = [rag, reasoning, critique] as const;

/** Every name the specification allows in `rag_tools`, built and configured here or not. */
export const ragToolNames = [...ragTools.map((tool) => tool.name), 'web_search', 'web_scrape'] as const;

/** Every name the specification allows in `research_tools`. */
export const researchToolNames = [...researchTools.map((tool) => tool.name), 'python_executor'] as const;
