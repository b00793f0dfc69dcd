import type { Agent } from '../agent/agent.ts';
import type { AnswerChecker } from '../citations/answer-check.ts';
import type { Ingestor } from '../ingest/ingestor.ts';
import type { ModelRegistry } from '../models/model.ts';
import type { PromptTexts } from '../prompts/prompt-texts.ts';
import type { Answerer } from '../rag/rag-event.ts';
import type { Retriever } from '../retrieval/retriever.ts';
import type { MadeFiles } from '../runs/made-files.ts';
import type { RunLog } from '../runs/run-log.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { Corpus } from '../store/corpus.ts';
import type { CollectionRecords } from '../store/records.ts';
import type { SharedCitations } from '../store/shared-state.ts';
import type { SourceRecords } from '../store/source-records.ts';
import type { CorpusWatch } from '../store/watch-corpus.ts';
import type { Tool } from '../toolbox/tool.ts';
import type { ToolContext, TraceTool } from '../toolbox/tool-context.ts';

/** Services that the MCP server needs. */
export interface McpServices {
  readonly corpus: Corpus;
  readonly changes: CorpusWatch;
  readonly collections: CollectionRecords;
  readonly retriever: Retriever;
  readonly ingestor: Ingestor;
  readonly sources: SourceRecords;
  /** Maximum size in bytes of a file of any format; if absent, the limits of the formats apply. */
  readonly maxFileBytes?: number | undefined;
  readonly answerer: Answerer;
  readonly checker: AnswerChecker;
  readonly agent: Agent;
  readonly runs: RunLog;
  readonly madeFiles: MadeFiles;
  readonly models: ModelRegistry;
  /** Current prompts for models. */
  readonly prompts?: PromptTexts;
  /** Web search and page fetching. */
  readonly web?: Pick<ToolContext, 'webSearch' | 'webPages' | 'fetchPage'>;
  readonly traceTool?: TraceTool | undefined;
  /** Python sandbox, when available. */
  readonly sandbox?: Sandbox;
  /** All tools that can be called. */
  readonly tools: readonly Tool[];
  status(): Promise<{
    readonly model: string;
    readonly embedder: string;
    /** Path of the data folder. */
    readonly data: string;
    readonly index: { readonly kind: string; readonly state: string };
    readonly hints: readonly string[];
  }>;
  /** Source numbers shared by several servers. */
  readonly sharedCitations?: SharedCitations | undefined;
  readonly log: { error(fields: object, message: string): void };
}
