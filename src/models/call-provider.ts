import type { Model, ModelEvent, ModelRequest } from './model.ts';
import { ProviderError, type ProviderIdentity, toProviderError } from './provider-error.ts';
import {
  dropParameter,
  MAX_REJECTIONS,
  type RejectedParameters,
  readRejectedParameter,
} from './rejected-parameters.ts';
import { requestsThinking } from './thinking.ts';
import { type TimeLimits, type WatchedConnection, watchStream, withLongerLimits } from './watch-stream.ts';

/** The provider-specific parts of a call. */
interface ProviderCall<Body extends object, Event> {
  readonly provider: ProviderIdentity;
  /** Without the provider's prefix. */
  readonly model: string;
  /** Throws ServiceError when the request cannot be expressed in the provider's format. */
  readonly toBody: () => Body;
  readonly limits: TimeLimits;
  /** Parameters that the provider's models are known to reject. */
  readonly rejected: RejectedParameters;
  open(body: Body, connection: WatchedConnection): Promise<AsyncIterable<Event>>;
  read(events: AsyncIterable<Event>): AsyncIterable<ModelEvent>;
}

interface ProviderModelParts {
  readonly provider: ProviderIdentity;
  readonly limits: TimeLimits;
  /** Shared by all models of the provider. */
  readonly rejected: RejectedParameters;
}

interface ProviderFormat<Body extends object, Event> extends Pick<ProviderCall<Body, Event>, 'open'> {
  toBody(request: ModelRequest): Body;
  /** `name` is the model's qualified name. */
  read(events: AsyncIterable<Event>, name: string): AsyncIterable<ModelEvent>;
}

/** A model whose calls are made by `callProvider`. */
export function providerModel<Body extends object, Event>(
  model: string,
  parts: ProviderModelParts,
  { toBody, open, read }: ProviderFormat<Body, Event>,
): Model {
  const { provider, limits, rejected } = parts;
  const name = `${provider.name}/${model}`;
  return {
    name,
    stream: (request) =>
      callProvider(request, {
        provider,
        model,
        limits,
        rejected,
        open,
        toBody: () => toBody(request),
        read: (events) => read(events, name),
      }),
  };
}

/** Runs one call: opens the stream, enforces timeouts, converts events and errors. */
async function* callProvider<Body extends object, Event>(
  request: ModelRequest,
  call: ProviderCall<Body, Event>,
): AsyncGenerator<ModelEvent, void> {
  const { provider, model } = call;
  const { signal, config } = request;
  const events = watchStream((connection) => openDroppingRejected(call, connection), {
    limits: requestsThinking(config) ? withLongerLimits(call.limits) : call.limits,
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

async function openDroppingRejected<Body extends object, Event>(
  call: ProviderCall<Body, Event>,
  connection: WatchedConnection,
): Promise<AsyncIterable<Event>> {
  const { model, rejected } = call;
  let body = rejected.apply(model, call.toBody());
  for (let tries = 0; ; tries++) {
    try {
      return await call.open(body, connection);
    } catch (error) {
      const refusal = tries < MAX_REJECTIONS ? readRejectedParameter(body, error) : undefined;
      if (refusal === undefined) throw error;
      rejected.note(model, refusal);
      body = dropParameter(body, refusal);
    }
  }
}
