import type { Conversations } from '../conversations/conversations.ts';
import type { Metadata } from '../documents/document.ts';
import type { Message } from '../models/message.ts';
import type { Model } from '../models/model.ts';
import type { StoredMessage } from '../store/records.ts';
import type { AgentRequest } from './agent.ts';
import type { AgentEvent } from './agent-event.ts';
import { nameConversation } from './name-conversation.ts';

/** A turn's place in its conversation. */
export interface OpenTurn {
  readonly conversationId: string;
  /** The conversation before this turn. */
  history(): Promise<readonly Message[]>;
  /**
   * Passes the events on and keeps the turn: the question before the first event, the answer before `final_answer` is
   * passed, or what there was of it when the run ends early. `namer` writes the conversation's name after its first
   * turn; without one the question's beginning is the name.
   */
  keep(
    events: AsyncIterable<AgentEvent>,
    namer: Model | undefined,
    signal: AbortSignal,
  ): AsyncGenerator<AgentEvent, void>;
}

/** Finds or makes the conversation. Throws `not_found` for one that is unknown or someone else's. */
export async function openTurn(conversations: Conversations, request: AgentRequest): Promise<OpenTurn> {
  const { principal } = request;
  const conversation =
    request.conversationId === undefined
      ? await conversations.create(principal, null)
      : await conversations.get(principal, request.conversationId);
  const { id } = conversation;

  return {
    conversationId: id,

    async history() {
      return (await conversations.messages(principal, id)).map(toMessage);
    },

    async *keep(events, namer, signal) {
      const earlier = await conversations.messages(principal, id);
      const question = await conversations.append(principal, id, {
        role: 'user',
        content: request.message,
        ...parentOf(earlier.at(-1)),
      });
      const store = (content: string, metadata: Metadata) =>
        conversations.append(principal, id, { role: 'assistant', content, metadata, parentId: question.id });
      let partial = '';
      let isStored = false;
      try {
        for await (const event of events) {
          if (event.type === 'message') partial += event.text;
          if (event.type === 'tool_call') partial = '';
          if (event.type === 'final_answer') {
            await store(event.answer.text, answerMetadata(event.answer));
            isStored = true;
          }
          yield event;
          if (event.type === 'final_answer' && (request.name ?? conversation.name === null)) {
            const name = await nameConversation(request.message, event.answer.text, namer, signal);
            await conversations.rename(principal, id, name);
          }
        }
      } finally {
        if (!isStored && partial.trim() !== '') await store(partial, { interrupted: true });
      }
    },
  };
}

const parentOf = (last: StoredMessage | undefined) => (last === undefined ? {} : { parentId: last.id });

const toMessage = ({ role, content }: StoredMessage): Message => ({ role, text: content });

type Answer = Extract<AgentEvent, { readonly type: 'final_answer' }>['answer'];

function answerMetadata({ citations, spent, model, ended }: Answer): Metadata {
  return {
    model,
    ended,
    input_tokens: spent.input,
    output_tokens: spent.output,
    citations: citations.map((citation) => ({
      id: citation.id,
      verdict: citation.verdict,
      ...(citation.source.kind === 'chunk'
        ? { document_id: citation.source.chunk.documentId, chunk_id: citation.source.chunk.id }
        : { document_id: citation.source.document.id }),
    })),
  };
}
