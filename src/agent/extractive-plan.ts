import type { SourceList } from '../citations/source-list.ts';
import type { TextAnalyser } from '../citations/text-analyser.ts';
import { EXTRACTIVE_MODEL } from '../models/default-models.ts';
import { composeQuotes, type NumberedSource } from '../models/extractive/compose-quotes.ts';
import type { Message, ToolCall } from '../models/message.ts';
import { type Model, type ModelEvent, type ModelRequest, noUsage } from '../models/model.ts';

export interface PlanParts {
  readonly question: string;
  /** Sources of the run; filled by its tools. */
  readonly sources: SourceList;
  readonly analyser: TextAnalyser;
}

/** Number of best chunks whose surroundings are read before quoting. */
const CHUNKS_TO_EXPAND = 2;
/** Number of documents to read when only descriptions could be searched. */
const DOCUMENTS_TO_READ = 3;

/**
 * Model stand-in without a language model: searches, reads around the best chunks and quotes sentences that answer, as
 * turns of the normal agent loop. The first line of the answer says that no model was used.
 */
export function extractivePlan({ question, sources, analyser }: PlanParts): Model {
  return {
    name: EXTRACTIVE_MODEL,
    async *stream({ messages, tools, toolChoice }: ModelRequest): AsyncGenerator<ModelEvent> {
      const offered = new Set(toolChoice === 'none' ? [] : tools.map((tool) => tool.name));
      const calls = nextCalls(question, callsThisTurn(messages), offered, sources);
      for (const call of calls) yield { type: 'tool_call', call };
      const stop = { type: 'stop', usage: noUsage, model: EXTRACTIVE_MODEL } as const;
      if (calls.length > 0) {
        yield { ...stop, reason: 'tool_calls' };
        return;
      }
      const { support, pieces } = composeQuotes({ question, sources: numberedSources(sources), analyser });
      for (const { text } of pieces) yield { type: 'text', text };
      yield { ...stop, reason: 'end', support };
    },
  };
}

/** Names of the tools called since the last user message. */
function callsThisTurn(messages: readonly Message[]): readonly string[] {
  const lastQuestion = messages.findLastIndex((message) => message.role === 'user');
  return messages.slice(lastQuestion + 1).flatMap((message) => (message.role === 'tool' ? [message.name] : []));
}

function nextCalls(
  question: string,
  made: readonly string[],
  offered: ReadonlySet<string>,
  sources: SourceList,
): ToolCall[] {
  const isNext = (name: string) => offered.has(name) && !made.includes(name);
  if (isNext('search_file_knowledge')) {
    return [{ id: 'plan_search', name: 'search_file_knowledge', arguments: { query: question, limit: 10 } }];
  }
  const searchesText = made.includes('search_file_knowledge');
  if (!searchesText && isNext('search_file_descriptions')) {
    return [
      { id: 'plan_find', name: 'search_file_descriptions', arguments: { query: question, limit: DOCUMENTS_TO_READ } },
    ];
  }
  if (searchesText && isNext('content')) {
    return chunksOf(sources)
      .slice(0, CHUNKS_TO_EXPAND)
      .map(({ id }, index) => ({
        id: `plan_read_${index + 1}`,
        name: 'content',
        arguments: { around_chunk_id: id, before: 1, after: 1 },
      }));
  }
  const reader = (['get_file_content', 'content'] as const).find((name) => offered.has(name));
  if (searchesText || reader === undefined || made.includes(reader)) return [];
  return documentsOf(sources)
    .slice(0, DOCUMENTS_TO_READ)
    .map(({ id }, index) => ({ id: `plan_read_${index + 1}`, name: reader, arguments: { document_id: id } }));
}

const chunksOf = (sources: SourceList) =>
  [...sources.numbered()].flatMap(([, source]) => (source.kind === 'chunk' ? [source.chunk] : []));

/** Documents found by description whose text has not been read yet. */
const documentsOf = (sources: SourceList) =>
  [...sources.numbered()].flatMap(([, source]) =>
    source.kind === 'document' && !source.passage ? [source.document] : [],
  );

const numberedSources = (sources: SourceList): NumberedSource[] =>
  [...sources.numbered()].flatMap(([number, source]) =>
    source.kind === 'graph' || (source.kind === 'document' && !source.passage) ? [] : [{ number, source }],
  );
