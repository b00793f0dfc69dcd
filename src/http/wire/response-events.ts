import { ServiceError } from '../../errors.ts';
import type { ToolCall } from '../../models/message.ts';
import type { ServerSentEvent } from '../sse.ts';
import type { ChatAnswer, ChatPart } from './chat-answer.ts';
import {
  annotationsIn,
  callOf,
  type FlatAnnotation,
  messageOf,
  newId,
  type OutputItem,
  outputTextOf,
  type ResponseHead,
  type ResponseRecord,
  reasoningOf,
  toRecord,
} from './response-answer.ts';

/** The complete answer as one response. */
export async function toResponse(parts: AsyncIterable<ChatPart>, head: ResponseHead): Promise<ResponseRecord> {
  let last: ResponseRecord | undefined;
  for await (const { data } of toResponseEvents(parts, head)) {
    if ('response' in data) last = data.response as ResponseRecord;
  }
  if (last !== undefined && last.status !== 'in_progress') return last;
  throw new ServiceError('internal', 'The response ended without an answer.');
}

/**
 * The answer as events: reasoning and text as they are generated, then annotations, then the complete response. The
 * last event is `response.completed`, or `response.incomplete` if a limit or the provider's filter ended the answer. A
 * failure after the first event ends the stream with `response.failed` if `failureOf` is given, and is thrown
 * otherwise.
 */
export async function* toResponseEvents(
  parts: AsyncIterable<ChatPart>,
  head: ResponseHead,
  failureOf?: (thrown: unknown) => ServiceError,
): AsyncGenerator<ServerSentEvent, void> {
  const writer = new ResponseWriter(head);
  try {
    for await (const part of parts) {
      if (!writer.hasBegun) yield* writer.begin();
      yield* writer.write(part);
    }
  } catch (thrown) {
    if (!writer.hasBegun || failureOf === undefined) throw thrown;
    yield writer.fail(failureOf(thrown));
  }
}

type Events = Generator<ServerSentEvent, void>;

/** Writes the events of one response: a reasoning item if there is any, the message, then the calls. */
class ResponseWriter {
  readonly #head: ResponseHead;
  readonly #reasoning = { id: newId('rs'), text: '' };
  /** `index` is the message's place in the output; -1 before it begins. */
  readonly #message = { id: newId('msg'), text: '', index: -1 };
  /** The items that are complete. */
  readonly #output: OutputItem[] = [];
  #sequence = 0;

  constructor(head: ResponseHead) {
    this.#head = head;
  }

  get hasBegun(): boolean {
    return this.#sequence > 0;
  }

  *begin(): Events {
    const response = toRecord(this.#head, 'in_progress', []);
    yield this.#event('response.created', { response });
    yield this.#event('response.in_progress', { response });
  }

  *write(part: ChatPart): Events {
    switch (part.type) {
      case 'thinking':
        // A response has no item for reasoning after the beginning of its message, so that is dropped.
        if (this.#message.index < 0) yield* this.#think(part.text);
        return;
      case 'text':
        yield* this.#say(part.text);
        return;
      case 'answer':
        yield* this.#finish(part.answer);
    }
  }

  fail({ code, message }: ServiceError): ServerSentEvent {
    const error = { code: code === 'rate_limited' ? 'rate_limit_exceeded' : 'server_error', message };
    return this.#event('response.failed', { response: { ...toRecord(this.#head, 'failed', this.#output), error } });
  }

  *#finish(answer: ChatAnswer): Events {
    const message = this.#message;
    if (!message.text.includes(answer.text)) yield* this.#say(message.text === '' ? answer.text : `\n\n${answer.text}`);
    const ended = answer.finish === 'stop' || answer.finish === 'tool_calls' ? 'completed' : 'incomplete';
    if (message.text !== '' || answer.calls.length === 0) {
      yield* this.#endMessage(annotationsIn(message.text, answer, this.#head.origin), ended);
    } else if (this.#reasoning.text !== '') yield* this.#endReasoning();
    for (const call of answer.calls) yield* this.#writeCall(call);
    yield this.#event(`response.${ended}`, { response: toRecord(this.#head, ended, this.#output, answer) });
  }

  *#think(text: string): Events {
    const place = this.#inReasoning();
    if (this.#reasoning.text === '') {
      const item = reasoningOf(this.#reasoning.id, undefined);
      yield this.#event('response.output_item.added', { output_index: 0, item });
      yield this.#event('response.content_part.added', { ...place, part: { type: 'reasoning_text', text: '' } });
    }
    this.#reasoning.text += text;
    yield this.#event('response.reasoning_text.delta', { ...place, delta: text });
  }

  *#endReasoning(): Events {
    const { id, text } = this.#reasoning;
    const item = reasoningOf(id, text);
    yield this.#event('response.reasoning_text.done', { ...this.#inReasoning(), text });
    yield this.#event('response.content_part.done', { ...this.#inReasoning(), part: item.content[0] });
    yield this.#event('response.output_item.done', { output_index: 0, item });
    this.#output.push(item);
  }

  *#beginMessage(): Events {
    const message = this.#message;
    if (message.index >= 0) return;
    if (this.#reasoning.text !== '') yield* this.#endReasoning();
    message.index = this.#output.length;
    const item = { ...messageOf(message.id, 'in_progress', '', []), content: [] };
    yield this.#event('response.output_item.added', { output_index: message.index, item });
    yield this.#event('response.content_part.added', { ...this.#inMessage(), part: outputTextOf('', []) });
  }

  *#say(text: string): Events {
    yield* this.#beginMessage();
    yield this.#event('response.output_text.delta', { ...this.#inMessage(), delta: text, logprobs: [] });
    this.#message.text += text;
  }

  *#endMessage(annotations: readonly FlatAnnotation[], ended: 'completed' | 'incomplete'): Events {
    yield* this.#beginMessage();
    const { id, text, index } = this.#message;
    const place = this.#inMessage();
    for (const [annotation_index, annotation] of annotations.entries()) {
      yield this.#event('response.output_text.annotation.added', { ...place, annotation_index, annotation });
    }
    const item = messageOf(id, ended, text, annotations);
    yield this.#event('response.output_text.done', { ...place, text, logprobs: [] });
    yield this.#event('response.content_part.done', { ...place, part: item.content[0] });
    yield this.#event('response.output_item.done', { output_index: index, item });
    this.#output.push(item);
  }

  *#writeCall(call: ToolCall): Events {
    const item = callOf(call);
    const index = { output_index: this.#output.length };
    const inCall = { item_id: item.id, ...index };
    const added = { ...item, arguments: '', status: 'in_progress' };
    yield this.#event('response.output_item.added', { ...index, item: added });
    yield this.#event('response.function_call_arguments.delta', { ...inCall, delta: item.arguments });
    const done = { ...inCall, name: item.name, arguments: item.arguments };
    yield this.#event('response.function_call_arguments.done', done);
    yield this.#event('response.output_item.done', { ...index, item });
    this.#output.push(item);
  }

  #event(type: string, members: object): ServerSentEvent {
    return { event: type, data: { type, sequence_number: this.#sequence++, ...members } };
  }

  #inReasoning() {
    return { item_id: this.#reasoning.id, output_index: 0, content_index: 0 };
  }

  #inMessage() {
    return { item_id: this.#message.id, output_index: this.#message.index, content_index: 0 };
  }
}
