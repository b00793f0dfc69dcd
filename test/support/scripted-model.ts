import { onTestFinished } from 'vitest';
import type { ToolCall } from '../../src/models/message.ts';
import type { Model, ModelEvent, ModelRegistry, ModelRequest, StopReason } from '../../src/models/model.ts';

/** One turn of a script: the model's response to one request. */
export type ScriptedTurn = (request: ModelRequest) => AsyncIterable<ModelEvent> | Iterable<ModelEvent>;

export interface ScriptedModel extends Model {
  /** The received requests, in order. */
  readonly requests: readonly ModelRequest[];
}

const usage = { input: 10, cachedInput: 0, output: 5, reasoning: 0 };
const stop = (reason: StopReason): ModelEvent => ({ type: 'stop', reason, usage, model: 'test/scripted' });

/** Writes the text in small tokens, then stops. */
export const says = (text: string, reason: StopReason = 'end'): ScriptedTurn =>
  function* () {
    for (const token of text.match(/[\s\S]{1,3}/g) ?? []) yield { type: 'text', text: token };
    yield stop(reason);
  };

/** Thinks, then writes. */
export const thinks = (thought: string, text: string): ScriptedTurn =>
  function* (request) {
    yield { type: 'thinking', text: thought };
    yield* says(text)(request) as Iterable<ModelEvent>;
  };

/** Calls tools. */
export const calls = (...toolCalls: readonly ToolCall[]): ScriptedTurn =>
  function* () {
    for (const call of toolCalls) yield { type: 'tool_call', call };
    yield stop('tool_calls');
  };

/** Writes some text, then fails. */
export const fails = (error: Error, text = ''): ScriptedTurn =>
  function* () {
    if (text !== '') yield { type: 'text', text };
    throw error;
  };

/**
 * A model that plays its turns in order. An unexpected call fails, and so does a test that ends with turns left over.
 */
export function scriptedModel(...turns: readonly ScriptedTurn[]): ScriptedModel {
  const requests: ModelRequest[] = [];
  onTestFinished(() => {
    if (requests.length < turns.length) throw new Error(`The script has ${turns.length - requests.length} turns left.`);
  });
  return {
    name: 'test/scripted',
    requests,
    async *stream(request) {
      const turn = turns[requests.length];
      requests.push(request);
      if (turn === undefined)
        throw new Error(`The model was asked ${requests.length} times; its script has ${turns.length} turns.`);
      for await (const event of turn(request)) {
        request.signal.throwIfAborted();
        yield event;
      }
    },
  };
}

/** A registry that resolves every name and slot to this model. */
export const onlyModel = (model: Model): ModelRegistry => ({
  resolve: () => model,
  defaultName: () => model.name,
});
