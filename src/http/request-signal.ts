import type { Request, Response } from 'express';
import { ServiceError } from '../errors.ts';

/** The header that names the run of a stream. */
export const RUN_ID = 'X-Run-Id';

const STOPPING = 'stopping';
const LEAVING = 'leaving';

/** Connects every request of this app to the server's stop signal. */
export function announceStop(app: { readonly locals: Record<string, unknown> }, stopping: AbortSignal): void {
  app.locals[STOPPING] = stopping;
}

/** Makes this app answer health checks with 503, because it will soon stop accepting requests. */
export function announceLeave(app: { readonly locals: Record<string, unknown> }): void {
  app.locals[LEAVING] = true;
}

/** Whether the server is about to stop, so that proxies should route requests to other servers. */
export const isLeaving = (request: Request): boolean => request.app.locals[LEAVING] === true;

/** Aborts when the server stops; for work that continues after its caller has disconnected. */
export function stopSignal(request: Request): AbortSignal {
  const stopping: unknown = request.app.locals[STOPPING];
  return stopping instanceof AbortSignal ? stopping : new AbortController().signal;
}

/**
 * The signal of a request: aborts when the caller disconnects before the response is complete, or when the server
 * stops.
 */
export function requestSignal(request: Request, response: Response): AbortSignal {
  const disconnected = new AbortController();
  const onClose = (): void => {
    if (!response.writableFinished) disconnected.abort(new ServiceError('cancelled', 'The caller disconnected.'));
  };
  if (response.destroyed) onClose();
  else response.once('close', onClose);
  return AbortSignal.any([disconnected.signal, stopSignal(request)]);
}
