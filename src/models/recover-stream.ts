/**
 * The events of a stream. An error before the first event is passed to `recover`, whose stream then takes its place;
 * later errors are rethrown, because emitted events cannot be taken back.
 */
export async function* recoverStream<Event>(
  events: AsyncIterable<Event>,
  recover: (error: unknown) => AsyncIterable<Event> | Promise<AsyncIterable<Event>>,
): AsyncGenerator<Event, void> {
  let hasBegun = false;
  let rest: AsyncIterable<Event>;
  try {
    for await (const event of events) {
      hasBegun = true;
      yield event;
    }
    return;
  } catch (error) {
    if (hasBegun) throw error;
    rest = await recover(error);
  }
  yield* rest;
}
