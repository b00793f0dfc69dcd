import type { ModelEvent, ModelRequest } from './model.ts';
import { ProviderError, type ProviderIdentity, toProviderError } from './provider-error.ts';
import { asksToThink } from './thinking.ts';
import { patient, type TimeLimits, type WatchedConnection, watchStream } from './watch-stream.ts';
import { leaveOut, MAX_REFUSALS, type Refusals, readRefusal } from './without-refused.ts';

/** The provider-specific parts of a call. */
export interface ProviderCall<Body extends object, Event> {
  readonly provider: ProviderIdentity;
  /** Without the provider's prefix. */
  readonly model: string;
  /** Throws ServiceError when the request cannot be expressed in the provider's format. */
  readonly toBody: () => Body;
  readonly limits: TimeLimits;
  /** Parameters that the provider's models are known to reject. */
  readonly refusals: Refusals;
  open(body: Body, connection: WatchedConnection): Promise<AsyncIterable<Event>>;
  read(events: AsyncIterable<Event>): AsyncIterable<ModelEvent>;
}

/** Runs one call: opens the stream, enforces timeouts, converts events and errors. */
export async function* callProvider<Body extends object, Event>(
  request: ModelRequest,
  call: ProviderCall<Body, Event>,
): AsyncGenerator<ModelEvent, void> {
  const { provider, model } = call;
  const { signal, config } = request;
  const events = watchStream((connection) => openWithoutRefused(call, connection), {
    limits: asksToThink(config) ? patient(call.limits) : call.limits,
    signal,
    onSilence: (seconds, phase) =>
      new ProviderError(
        'timeout',
        phase === 'first'
          ? `${provider.label} sent nothing within ${seconds} seconds.`
          : `${provider.label} fell silent for ${seconds} seconds in the middle of its answer.`,
        'retry',
      ),
  });
  try {
    yield* call.read(events);
  } catch (error) {
    throw toProviderError(error, { provider, model, signal });
  }
}

async function openWithoutRefused<Body extends object, Event>(
  call: ProviderCall<Body, Event>,
  connection: WatchedConnection,
): Promise<AsyncIterable<Event>> {
  const { model, refusals } = call;
  let body = refusals.apply(model, call.toBody());
  for (let tries = 0; ; tries++) {
    try {
      return await call.open(body, connection);
    } catch (error) {
      const refusal = tries < MAX_REFUSALS ? readRefusal(body, error) : undefined;
      if (refusal === undefined) throw error;
      refusals.note(model, refusal);
      body = leaveOut(body, refusal);
    }
  }
}
