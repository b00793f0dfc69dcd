/**
 * Citewell as a library: `openAdapters` opens the adapters that a configuration names, and `compose` builds the product
 * from them. In between, any port can be replaced by your own implementation; see docs/use-as-a-library.md.
 *
 * @packageDocumentation
 */

// The two parts of the composition root, and the HTTP service for the product they build.

export { type OpenOptions, openAdapters } from './adapters/open-adapters.ts';
export type { Adapters, Deployment, InUse } from './compose/adapters.ts';
export { compose } from './compose/compose.ts';
export type { Product, Services, StartOptions } from './compose/services.ts';
export { defaultSettings, type Settings } from './compose/settings.ts';
export { type Config, loadConfig } from './config.ts';
export { type ErrorCode, ServiceError } from './errors.ts';
export { createHttpApp } from './http/http-app.ts';
export { type Address, type App, type HttpServer, listen } from './http/serve.ts';

// Ports: implement one and pass it to `compose` in place of what `openAdapters` opened.

export type { TextAnalyser } from './citations/text-analyser.ts';
export { type Embedders, withEmbedder } from './embeddings/embedders.ts';
export type { EmbeddingModel } from './embeddings/embedding-model.ts';
export type { DocumentReaders } from './ingest/document-readers.ts';
export type { Message, ToolCall } from './models/message.ts';
export type { Model, ModelEvent, ModelRegistry, ModelRequest, ModelSlot, ToolSpec, Usage } from './models/model.ts';
export { withModel } from './models/with-model.ts';
export type { Reranker } from './retrieval/rerank.ts';
export type { Sandbox } from './sandbox/sandbox.ts';
export type { Store } from './store/store.ts';
export type { VectorIndex, VectorSpaceName } from './store/vector-index.ts';
export { type ExternalTools, withTools } from './toolbox/external-tools.ts';
export { defineTool, type Tool, type ToolOutput } from './toolbox/tool.ts';
export type { ToolContext } from './toolbox/tool-context.ts';
export type { Web } from './web/web.ts';

// Domain types: documents, search, citations, and the events of ingestion, answers and runs.

export type { Authenticate, Credentials } from './access/credentials.ts';
export { defaultAdmin, type Principal } from './access/principal.ts';
export { visibleFilter } from './access/visible-filter.ts';
export type { Agent, AgentRequest, PreparedRun } from './agent/agent.ts';
export type { AgentAnswer, AgentEvent } from './agent/agent-event.ts';
export { collectAnswer } from './agent/collect-answer.ts';
export { plainRequest } from './agent/plain-request.ts';
export type { CheckedCitation } from './citations/check-citation.ts';
export type { Citation, Quote, Source } from './citations/citation.ts';
export type { Verdict } from './citations/verdict.ts';
export type { Chunk, ScoredChunk } from './documents/chunk.ts';
export type { Document, Metadata } from './documents/document.ts';
export { everything, type Filter } from './documents/filter.ts';
export type { IngestEvent, Ingestor, Submission } from './ingest/ingestor.ts';
export type { Answerer, RagAnswer, RagEvent, RagRequest } from './rag/rag-event.ts';
export type { Retriever, SearchOutcome } from './retrieval/retriever.ts';
export { defaultSearchSettings, type SearchSettings } from './retrieval/search-settings.ts';
