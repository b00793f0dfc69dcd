import type { Source } from '../citations/citation.ts';
import { CitationCollector } from '../citations/citation-collector.ts';
import { findQuote } from '../citations/find-quote.ts';
import { MarkerScanner, type ScannedPart } from '../citations/marker-scanner.ts';
import { quotableOf } from '../citations/quotable-of.ts';
import { createSourceList } from '../citations/source-list.ts';
import { statementBefore } from '../citations/statement-before.ts';
import type { TextAnalyser } from '../citations/text-analyser.ts';
import { ServiceError } from '../errors.ts';
import type { ToolCall } from '../models/message.ts';
import type { Model, ModelEvent } from '../models/model.ts';
import { WITHOUT_ANSWER } from '../models/without-answer.ts';
import type { PromptTexts } from '../prompts/prompt-texts.ts';
import type { SearchOutcome } from '../retrieval/retriever.ts';
import { clientCallsIn, exchangeMessages, noClientTools } from '../toolbox/client-tools.ts';
import { toWebPassage } from '../toolbox/web-passage.ts';
import type { WebSearchOutcome } from '../web/web-search.ts';
import type { RagEvent, RagRequest } from './rag-event.ts';
import { ragPrompt } from './rag-prompt.ts';

export interface Generation {
  readonly request: RagRequest;
  readonly outcome: SearchOutcome;
  readonly web?: WebSearchOutcome;
  readonly model: Model;
  readonly analyser: TextAnalyser;
  readonly contextTokens: number;
  readonly prompts?: PromptTexts | undefined;
}

/** Streams the model's answer with its markers turned into citations. */
export async function* generateAnswer(generation: Generation, signal: AbortSignal): AsyncGenerator<RagEvent, void> {
  const { request, outcome, web, model, contextTokens, prompts } = generation;
  const { messages, shown } = ragPrompt({
    ...request,
    taskPrompt: request.taskPrompt,
    chunks: outcome.chunks,
    results: web?.results ?? [],
    graph: outcome.graph ?? [],
    contextTokens,
    prompts,
  });
  const all: Source[] = [
    ...outcome.chunks.slice(0, shown.chunks).map((chunk) => ({ kind: 'chunk' as const, chunk })),
    ...(web?.results ?? [])
      .slice(0, shown.results)
      .map((result) => ({ kind: 'web' as const, page: toWebPassage(result) })),
    ...shown.graph.map((hit) => ({ kind: 'graph' as const, hit })),
  ];
  const sources = createSourceList(all);
  const scanner = new MarkerScanner((number) => sources.get(number) !== undefined);
  const citations = new CitationCollector();

  const toEvents = (parts: readonly ScannedPart[]): RagEvent[] =>
    parts.map((part) => {
      if (part.type === 'text') return { type: 'message', text: part.text };
      const { number, span } = part;
      const source = sources.get(number);
      if (source === undefined) throw new ServiceError('internal', `Marker [${number}] refers to an unknown source.`);
      const statement = statementBefore(scanner.text, span.start);
      const quotable = quotableOf(source);
      const { analyser } = generation;
      const quote = quotable && findQuote({ chunk: quotable, statement, question: request.query, analyser });
      return { type: 'citation', span, ...citations.add({ number, source, span, ...(quote && { quote }) }) };
    });

  const { generation: config, clientTools = noClientTools } = request;
  const calls: ToolCall[] = [];
  let stop: Extract<ModelEvent, { type: 'stop' }> | undefined;
  for await (const event of model.stream({
    messages: [...messages, ...exchangeMessages(clientTools)],
    tools: clientTools.specs,
    config,
    signal,
  })) {
    if (event.type === 'text') yield* toEvents(scanner.push(event.text));
    else if (event.type === 'thinking') {
      if (request.generation.extendedThinking === true) yield { type: 'thinking', text: event.text };
    } else if (event.type === 'waiting') yield event;
    else if (event.type === 'tool_call') calls.push(event.call);
    else if (event.type === 'stop') stop = event;
  }
  if (stop === undefined)
    throw new ServiceError('provider_failed', `The stream of ${model.name} ended before its answer did.`);
  yield* toEvents(scanner.end());
  const clientCalls = clientCallsIn(calls, clientTools);
  if (scanner.text.trim() === '' && clientCalls.length === 0)
    yield* toEvents([...scanner.push(WITHOUT_ANSWER[stop.reason]), ...scanner.end()]);
  yield {
    type: 'final_answer',
    answer: {
      text: scanner.text,
      citations: citations.citations,
      search: outcome,
      ...(web !== undefined && { web }),
      model: stop.snapshot ?? stop.model,
      mode: 'generative',
      stopReason: stop.reason,
      clientCalls,
      usage: stop.usage,
      removedMarkers: scanner.removed,
    },
  };
}
