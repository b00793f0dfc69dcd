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

/** Tools of the RAG mode, docs/contract.md 5.3. */
export const ragTools = [
  searchFileKnowledge,
  searchFileDescriptions,
  content,
  getFileContent,
  webSearch,
  webScrape,
] as const;

/** Tools of the Research mode, docs/contract.md 5.3. */
export const researchTools = [rag, reasoning, critique, pythonExecutor] as const;

/** All names allowed in `rag_tools`, whether or not the tools are configured. */
export const ragToolNames = ragTools.map((tool) => tool.name);

/** All names allowed in `research_tools`. */
export const researchToolNames = researchTools.map((tool) => tool.name);

/** Tools that report the contents and state of the corpus. */
export const corpusTools = [corpusStatus] as const;

/** Tools for research runs that outlast a call: start a run, and fetch its result. */
export const researchServiceTools = [researchStart, researchResult] as const;

/** Tools that check answers. */
export const proofTools = [checkCitations] as const;

/** Tools that change the corpus. */
export const ingestTools = [ingestText, ingestFile, ingestUrl, deleteDocument] as const;

/** Tools for local folders; available if the operator has allowed any. */
export const folderTools = [listFiles, syncFolder] as const;

/** The two tools that ChatGPT requires of a server. */
export const openaiTools = [search, fetchDocument] as const;
