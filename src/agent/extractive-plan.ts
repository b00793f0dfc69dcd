import type { SourceList } from '../citations/source-list.ts';
import type { TextAnalyser } from '../citations/text-analyser.ts';
import type { ScoredChunk } from '../documents/chunk.ts';
import { EXTRACTIVE_MODEL } from '../models/default-models.ts';
import { composeQuotes, type NumberedSource } from '../models/extractive/compose-quotes.ts';
import type { Message, ToolCall } from '../models/message.ts';
import type { Model, ModelEvent, ModelRequest } from '../models/model.ts';

export interface PlanParts {
  readonly question: string;
  /** The run's sources, as its tools fill them. */
  readonly sources: SourceList;
  readonly analyser: TextAnalyser;
}

/** Passages read in their surroundings before anything is quoted. */
const READ_AROUND = 2;

const NOTHING_SPENT = { input: 0, cachedInput: 0, output: 0, reasoning: 0 } as const;

/**
 * Stands in for a language model where there is none: the fixed plan of searching, reading around the best passages,
 * and quoting what answers, as turns of the same loop. It says what it is in its first line.
 */
export function extractivePlan({ question, sources, analyser }: PlanParts): Model {
  return {
    name: EXTRACTIVE_MODEL,
    async *stream({ messages, tools, toolChoice }: ModelRequest): AsyncGenerator<ModelEvent> {
      const offered = new Set(toolChoice === 'none' ? [] : tools.map((tool) => tool.name));
      const calls = nextCalls(
        question,
        callsThisTurn(messages),
        offered,
        quotable(sources).flatMap(({ source }) => (source.kind === 'chunk' ? [source.chunk] : [])),
      );
      for (const call of calls) yield { type: 'tool_call', call };
      if (calls.length === 0) {
        for (const piece of composeQuotes({ question, passages: quotable(sources), analyser })) {
          yield { type: 'text', text: piece.text };
        }
      }
      const reason = calls.length === 0 ? 'end' : 'tool_calls';
      yield { type: 'stop', reason, usage: NOTHING_SPENT, model: EXTRACTIVE_MODEL };
    },
  };
}

/** Names of the tools called since the person last spoke. */
function callsThisTurn(messages: readonly Message[]): readonly string[] {
  const asked = messages.findLastIndex((message) => message.role === 'user');
  return messages.slice(asked + 1).flatMap((message) => (message.role === 'tool' ? [message.name] : []));
}

function nextCalls(
  question: string,
  made: readonly string[],
  offered: ReadonlySet<string>,
  found: readonly ScoredChunk[],
): ToolCall[] {
  if (!made.includes('search_file_knowledge') && offered.has('search_file_knowledge')) {
    return [{ id: 'plan_search', name: 'search_file_knowledge', arguments: { query: question, limit: 10 } }];
  }
  if (made.includes('content') || !offered.has('content')) return [];
  return found.slice(0, READ_AROUND).map((chunk, index) => ({
    id: `plan_read_${index + 1}`,
    name: 'content',
    arguments: { around_chunk_id: chunk.id, before: 1, after: 1 },
  }));
}

function quotable(sources: SourceList): NumberedSource[] {
  return Array.from({ length: sources.size }, (_, index) => {
    const source = sources.get(index + 1);
    return source?.kind === 'chunk' || source?.kind === 'web' ? [{ number: index + 1, source }] : [];
  }).flat();
}
