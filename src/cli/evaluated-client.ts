import type { Json } from '../documents/document.ts';
import { ServiceError } from '../errors.ts';
import type { AnswersFrom } from '../evaluation/answers-from.ts';
import type { EvaluationTarget } from '../evaluation/evaluate-questions.ts';
import type { NamedDocument } from '../evaluation/resolve-documents.ts';
import type { EvaluatedAnswer } from '../evaluation/score-answer.ts';
import { shownFromWire } from './agent-wire.ts';
import type { Client } from './client.ts';
import type { CitedAnswer } from './from-wire.ts';
import type { AskQuery } from './questions.ts';
import type { SearchMode } from './search-query.ts';

export interface AskingOptions {
  readonly limit: number;
  readonly filter?: { readonly [key: string]: Json };
  readonly asOf?: string;
  readonly mode?: SearchMode;
  readonly model?: string;
  readonly answers: AnswersFrom;
}

/** Adapts the client for evaluations, with the settings of `search` and `ask`. */
export function toEvaluated(client: Client, options: AskingOptions): EvaluationTarget {
  const { limit, filter = {}, asOf, mode, model, answers } = options;
  const queryFor = (query: string): AskQuery => ({
    query,
    limit,
    filters: filter,
    ...(asOf !== undefined && { asOf }),
    ...(mode && { mode }),
    ...(model && { model }),
  });
  const ask = answers === 'agent' ? askAgent : askOnce;
  return {
    async search(question, signal) {
      const { model: _, ...query } = queryFor(question);
      return (await client.search({ ...query, offset: 0, explain: false }, signal)).chunks;
    },
    ...(answers !== 'none' && { answer: (question, signal) => ask(client, queryFor(question), signal) }),
    async readText(id, range) {
      try {
        return await client.text(id, range, asOf);
      } catch (error) {
        // A citation of a document that no longer exists counts as none.
        if (error instanceof ServiceError && error.code === 'not_found') return undefined;
        throw error;
      }
    },
  };
}

async function askOnce(client: Client, query: AskQuery, signal: AbortSignal): Promise<EvaluatedAnswer> {
  for await (const event of client.ask(query, signal)) if (event.type === 'answer') return event.answer;
  throw withoutAnswer();
}

/** Each question gets a conversation of its own, deleted afterwards. */
async function askAgent(client: Client, query: AskQuery, signal: AbortSignal): Promise<EvaluatedAnswer> {
  const conversationId = await client.createConversation();
  try {
    let reply: CitedAnswer | undefined;
    const turn = { ...query, agentMode: 'rag' as const, conversationId, thinking: false, budget: {} };
    for await (const event of client.agent(turn, signal)) {
      const shown = shownFromWire(event);
      if (shown?.type === 'answer') reply = shown.reply;
    }
    if (reply === undefined) throw withoutAnswer();
    return reply;
  } finally {
    await client.deleteConversation(conversationId);
  }
}

const withoutAnswer = () => new ServiceError('internal', 'The answer ended before it was complete.');

const PAGE = 1000;

/** All documents with the names that questions may use for them. */
export async function* namedDocuments(client: Client): AsyncGenerator<NamedDocument, void> {
  for (let offset = 0; ; offset += PAGE) {
    const { documents } = await client.documents({ offset, limit: PAGE });
    for (const { id, title, file_name: fileName, source } of documents) {
      yield { id, title, fileName: textOrNull(fileName), source: textOrNull(source) };
    }
    if (documents.length < PAGE) return;
  }
}

const textOrNull = (value: Json | undefined): string | null => (typeof value === 'string' ? value : null);
