import { randomUUID } from 'node:crypto';
import type { CheckedCitation } from '../citations/check-citation.ts';
import type { Source } from '../citations/citation.ts';
import type { Conversations } from '../conversations/conversations.ts';
import type { Metadata } from '../documents/document.ts';
import type { ConversationSummary, StoredMessage } from '../store/records.ts';
import type { AgentRequest, EarlierMessage } from './agent.ts';
import type { AgentAnswer, AgentEvent } from './agent-event.ts';
import { fallbackName, type NamingParts, nameConversation } from './name-conversation.ts';

export interface SaveOptions extends NamingParts {
  /** Additional metadata to store with the answer. */
  metadata(): Metadata;
}

/** One turn in its conversation. */
export interface OpenTurn {
  readonly conversationId: string;
  /** Stored messages before this turn. */
  messages(): Promise<readonly StoredMessage[]>;
  summary(): Promise<ConversationSummary | undefined>;
  saveSummary(summary: ConversationSummary): Promise<void>;
  /**
   * Passes the events through and stores the turn: the question before the first event, the answer before `final_answer`
   * is passed on, or the partial answer when the run ends early.
   */
  save(events: AsyncIterable<AgentEvent>, options: SaveOptions): AsyncGenerator<AgentEvent, void>;
}

/** Opens or creates the conversation. Throws `not_found` when it is unknown or belongs to someone else. */
export async function openTurn(conversations: Conversations, request: AgentRequest): Promise<OpenTurn> {
  const { principal } = request;
  const conversation =
    request.conversationId === undefined
      ? await conversations.create(principal, null)
      : await conversations.get(principal, request.conversationId);
  const { id } = conversation;
  const messages = () => conversations.messages(principal, id);
  await storePreceding();

  return {
    conversationId: id,
    messages,
    summary: () => conversations.summary(principal, id),
    saveSummary: (summary) => conversations.saveSummary(principal, id, summary),

    async *save(events, { metadata: remarks, ...naming }) {
      const last = (await messages()).at(-1);
      const question = await conversations.append(principal, id, {
        role: 'user',
        content: request.message,
        ...(last === undefined ? {} : { parentId: last.id }),
      });
      const store = (content: string, metadata: Metadata) =>
        conversations.append(principal, id, {
          role: 'assistant',
          content,
          metadata: { ...metadata, ...remarks() },
          parentId: question.id,
        });
      const needsName = request.name ?? conversation.name === null;
      // The answer is already sent, so a failure to name the conversation (it may have been deleted) is ignored.
      const rename = (name: string) => conversations.rename(principal, id, name).catch(() => {});
      const partial = new PartialAnswer();
      let isStored = false;
      try {
        for await (const event of events) {
          partial.take(event);
          if (event.type === 'final_answer') {
            await store(event.answer.text, answerMetadata(event.answer));
            isStored = true;
          }
          yield event;
          if (event.type === 'final_answer' && needsName) {
            await rename(await nameConversation(request.message, event.answer.text, naming));
          }
        }
      } finally {
        if (!isStored && partial.text !== '') {
          await store(partial.text, { interrupted: true, citations: citationsMetadata(partial.citations) });
          if (needsName) await rename(fallbackName(request.message));
        }
      }
    },
  };

  async function storePreceding(): Promise<void> {
    const { precedingMessages = [] } = request;
    if (precedingMessages.length === 0) return;
    const stored = await messages();
    let parentId = stored.at(-1)?.id;
    for (const { role, text } of withoutStored(precedingMessages, stored)) {
      const added = await conversations.append(principal, id, {
        role,
        content: text,
        // The sources of answers given elsewhere are unknown, so they count as untrusted.
        ...(role === 'assistant' && { metadata: { read_untrusted: true } }),
        ...(parentId !== undefined && { parentId }),
      });
      parentId = added.id;
    }
  }
}

/** Drops leading messages that are stored already: some callers send the whole conversation each time. */
function withoutStored(
  preceding: readonly EarlierMessage[],
  stored: readonly StoredMessage[],
): readonly EarlierMessage[] {
  const isRepeated = stored.every(({ role, content }, index) => {
    const given = preceding[index];
    return given === undefined || (given.role === role && given.text === content);
  });
  return isRepeated ? preceding.slice(stored.length) : preceding;
}

/** Text and citations of the turn being written, or of the previous turn until new text arrives. */
class PartialAnswer {
  #text = '';
  readonly #citations = new Map<string, CheckedCitation>();
  #isNewTurn = false;

  get text(): string {
    return this.#text.trim();
  }

  get citations(): readonly CheckedCitation[] {
    return [...this.#citations.values()];
  }

  take(event: AgentEvent): void {
    if (event.type === 'tool_call') this.#isNewTurn = true;
    if (event.type === 'citation') this.#citations.set(event.citation.id, event.citation);
    if (event.type !== 'message') return;
    if (this.#isNewTurn) {
      this.#text = '';
      this.#citations.clear();
    }
    this.#text += event.text;
    this.#isNewTurn = false;
  }
}

function answerMetadata({ citations, spent, model, ended }: AgentAnswer): Metadata {
  return {
    model,
    ended,
    input_tokens: spent.input,
    output_tokens: spent.output,
    citations: citationsMetadata(citations),
  };
}

const citationsMetadata = (citations: readonly CheckedCitation[]) =>
  citations.map(({ id, verdict, source }) => ({ id, verdict, ...sourceMetadata(source) }));

function sourceMetadata(source: Source): Metadata {
  switch (source.kind) {
    case 'chunk':
      return { document_id: source.chunk.documentId, chunk_id: source.chunk.id };
    case 'document':
      return { document_id: source.document.id };
    case 'graph':
      return {
        graph_id: source.hit.id,
        chunk_ids: source.hit.chunkIds,
        ...(source.hit.sentence && {
          document_id: source.hit.sentence.documentId,
          chunk_id: source.hit.sentence.chunkId,
        }),
      };
    case 'web':
      return { link: source.page.url, title: source.page.title };
  }
}

/** A turn of a conversation that the caller keeps: its history is used, but nothing is stored. */
export function unstoredTurn(earlier: readonly EarlierMessage[]): OpenTurn {
  const conversationId = randomUUID();
  const createdAt = new Date().toISOString();
  const messages = earlier.map(
    ({ role, text }): StoredMessage => ({
      id: randomUUID(),
      conversationId,
      parentId: null,
      role,
      content: text,
      // The sources of these answers are unknown, so they count as untrusted.
      metadata: role === 'assistant' ? { read_untrusted: true } : {},
      createdAt,
    }),
  );
  return {
    conversationId,
    messages: async () => messages,
    summary: async () => undefined,
    saveSummary: async () => {},
    async *save(events) {
      yield* events;
    },
  };
}
