import type { ModelEvent } from './model.ts';

/**
 * The events of a model. An error before the first event is passed to `recover`, whose stream then takes its place;
 * later errors are rethrown, because emitted events cannot be taken back. A pause does not count as an event.
 */
export async function* recoverStream(
  events: AsyncIterable<ModelEvent>,
  recover: (error: unknown) => AsyncIterable<ModelEvent>,
): AsyncGenerator<ModelEvent, void> {
  let hasBegun = false;
  let rest: AsyncIterable<ModelEvent>;
  try {
    for await (const event of events) {
      hasBegun ||= event.type !== 'waiting';
      yield event;
    }
    return;
  } catch (error) {
    if (hasBegun) throw error;
    rest = recover(error);
  }
  yield* rest;
}
