import type { Express, Request, Response } from 'express';
import { ServiceError } from '../errors.ts';

const STOPPING = 'stopping';

/** Lets the server tell every request of this app that it must end now. */
export function announceStop(app: Express, stopping: AbortSignal): void {
  app.locals[STOPPING] = stopping;
}

/** Aborts when the server stops. For work that goes on although its caller has left. */
export function stopSignal(request: Request): AbortSignal {
  const stopping: unknown = request.app.locals[STOPPING];
  return stopping instanceof AbortSignal ? stopping : new AbortController().signal;
}

/** The one signal of a request: aborts when its caller leaves before the response is whole, or when the server stops. */
export function requestSignal(request: Request, response: Response): AbortSignal {
  const gone = new AbortController();
  const onClose = (): void => {
    if (!response.writableFinished) gone.abort(new ServiceError('cancelled', 'The caller has left.'));
  };
  if (response.destroyed) onClose();
  else response.once('close', onClose);
  return AbortSignal.any([gone.signal, stopSignal(request)]);
}
