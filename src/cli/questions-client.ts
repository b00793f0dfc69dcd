import type { Json } from '../documents/document.ts';
import type { AnswerCheckRecord } from '../toolbox/answer-check-record.ts';
import { messagesFromWire, toWireAgentQuery } from './agent-wire.ts';
import { answerFromWire, completionFromWire, deltaFromWire, type SearchResult, searchFromWire } from './from-wire.ts';
import type { AgentClientEvent, AgentQuery, AskEvent, AskQuery, ConversationMessage } from './questions.ts';
import { type SearchQuery, toWireQuery } from './search-query.ts';
import type { ServerCalls } from './server-calls.ts';
import type { ServerLink } from './server-link.ts';

/** Searches, questions and conversations. Methods throw ServiceError. */
export interface QuestionsClient {
  search(query: SearchQuery, signal: AbortSignal): Promise<SearchResult>;
  /** Checks which statements of an answer the documents support; the request has the members of the HTTP API. */
  check(request: { readonly [member: string]: Json }, signal: AbortSignal): Promise<AnswerCheckRecord>;
  /** A model's reply to a prompt, without the corpus. Uses the default model unless one is given. */
  complete(request: { readonly prompt: string; readonly model?: string }, signal: AbortSignal): Promise<string>;
  /** Ends with `answer`. */
  ask(query: AskQuery, signal: AbortSignal): AsyncGenerator<AskEvent, void>;
  /** Ends with `final_answer`. Aborting ends the run; its partial answer is kept in the conversation. */
  agent(query: AgentQuery, signal: AbortSignal): AsyncGenerator<AgentClientEvent, void>;
  /** Returns the identifier of a new conversation. */
  createConversation(): Promise<string>;
  /** Deletes the conversation with its messages. */
  deleteConversation(id: string): Promise<void>;
  conversation(id: string): Promise<readonly ConversationMessage[]>;
}

export function httpQuestions(
  { call, stream }: Pick<ServerCalls, 'call' | 'stream'>,
  link: Pick<ServerLink, 'stream'>,
): QuestionsClient {
  return {
    async search(query, signal) {
      const options = { body: toWireQuery(query), signal, isRepeatable: true };
      return searchFromWire((await call('POST', '/retrieval/search', options)).results);
    },

    async check(body, signal) {
      return (await call('POST', '/retrieval/check', { body, signal, isRepeatable: true }))
        .results as AnswerCheckRecord;
    },

    async complete({ prompt, model }, signal) {
      const body = {
        messages: [{ role: 'user', content: prompt }],
        generation_config: { stream: false, ...(model && { model }) },
      };
      return completionFromWire((await call('POST', '/retrieval/completion', { body, signal })).results);
    },

    async *ask({ model, ...query }, signal) {
      const body = { ...toWireQuery(query), rag_generation_config: { stream: true, ...(model && { model }) } };
      for await (const { event, data } of stream('/retrieval/rag', body, signal)) {
        if (event === 'message') yield { type: 'text', text: deltaFromWire(data) };
        if (event === 'thinking') yield { type: 'thinking', text: deltaFromWire(data) };
        if (event === 'final_answer') yield { type: 'answer', answer: answerFromWire(data) };
      }
    },

    async *agent(query, signal) {
      let run: unknown;
      try {
        yield* link.stream({
          method: 'POST',
          path: '/retrieval/agent',
          body: toWireAgentQuery(query),
          signal,
          onStart: (headers) => {
            run = headers['x-run-id'];
          },
        });
      } finally {
        // Disconnecting would end it too, but only after the grace period for resuming.
        if (signal.aborted && typeof run === 'string') {
          await call('POST', `/retrieval/runs/${run}/cancel`).catch(() => undefined);
        }
      }
    },

    async createConversation() {
      return ((await call('POST', '/conversations')).results as { id: string }).id;
    },

    async deleteConversation(id) {
      await call('DELETE', `/conversations/${encodeURIComponent(id)}`);
    },

    async conversation(id) {
      return messagesFromWire((await call('GET', `/conversations/${encodeURIComponent(id)}`)).results);
    },
  };
}
