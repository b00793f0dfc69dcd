import { corpusStatus } from './corpus/corpus-status.ts';
import { deleteDocument } from './ingest/delete-document.ts';
import { ingestFile } from './ingest/ingest-file.ts';
import { ingestText } from './ingest/ingest-text.ts';
import { ingestUrl } from './ingest/ingest-url.ts';
import { listFiles } from './ingest/list-files.ts';
import { syncFolder } from './ingest/sync-folder.ts';
import { fetchDocument } from './openai/fetch.ts';
import { search } from './openai/search.ts';
import { checkCitations } from './proof/check-citations.ts';
import { content } from './rag/content.ts';
import { getFileContent } from './rag/get-file-content.ts';
import { searchFileDescriptions } from './rag/search-file-descriptions.ts';
import { searchFileKnowledge } from './rag/search-file-knowledge.ts';
import { webScrape } from './rag/web-scrape.ts';
import { webSearch } from './rag/web-search.ts';
import { critique } from './research/critique.ts';
import { pythonExecutor } from './research/python-executor.ts';
import { rag } from './research/rag.ts';
import { reasoning } from './research/reasoning.ts';
import { researchResult } from './research/research-result.ts';
import { researchStart } from './research/research-start.ts';

/** The tools of the RAG mode, docs/contract.md 5.3. */
export const ragTools = [
  searchFileKnowledge,
  searchFileDescriptions,
  content,
  getFileContent,
  webSearch,
  webScrape,
] as const;

/** The tools of the Research mode, docs/contract.md 5.3. */
export const researchTools = [rag, reasoning, critique, pythonExecutor] as const;

/** Every name the specification allows in `rag_tools`, configured here or not. */
export const ragToolNames = ragTools.map((tool) => tool.name);

/** Every name the specification allows in `research_tools`. */
export const researchToolNames = researchTools.map((tool) => tool.name);

/** What there is, and how it stands. */
export const corpusTools = [corpusStatus] as const;

/** Research that outlasts a call. */
export const researchServiceTools = [researchStart, researchResult] as const;

/** They tell how far an answer can be relied on. */
export const proofTools = [checkCitations] as const;

/** They change the corpus. */
export const ingestTools = [ingestText, ingestFile, ingestUrl, deleteDocument] as const;

/** Folders of the machine, where the operator allowed some. */
export const folderTools = [listFiles, syncFolder] as const;

/** The pair that ChatGPT asks of a server. */
export const openaiTools = [search, fetchDocument] as const;
