import type { BackgroundWork, FinishProgress } from '../http/routes/finish.ts';
import type { ServerRequest } from './send-request.ts';
import type { ServerLink } from './server-link.ts';

/** The body of a JSON response. */
interface Answer {
  readonly results: unknown;
  readonly total_entries?: number;
}

interface ServerEvent {
  readonly event: string;
  readonly data: unknown;
}

type CallOptions = Partial<ServerRequest> & { readonly isRepeatable?: boolean };

/** Requests to the server, of which the parts of the client are made. */
export interface ServerCalls {
  call(method: ServerRequest['method'], path: string, options?: CallOptions): Promise<Answer>;
  /** The events of a POST request, which can be repeated unless `isRepeatable` is false. */
  stream(path: string, body: unknown, signal: AbortSignal, isRepeatable?: boolean): AsyncGenerator<ServerEvent, void>;
  /** Runs background work that a lasting server does without being asked. Returns false for a lasting server. */
  finish(
    work: BackgroundWork,
    signal: AbortSignal,
  ): AsyncGenerator<{ readonly event: string; readonly data: FinishProgress }, boolean>;
}

export function serverCalls(link: ServerLink): ServerCalls {
  const stream: ServerCalls['stream'] = (path, body, signal, isRepeatable = true) =>
    link.stream({ method: 'POST', path, body, signal, isRepeatable });
  return {
    call: async (method, path, options = {}) => (await link.ask({ ...options, method, path })) as Answer,
    stream,
    async *finish(work, signal) {
      if ((await link.address()).isLasting) return false;
      for await (const { event, data } of stream(`/finish/${work}`, {}, signal)) {
        yield { event, data: data as FinishProgress };
      }
      return true;
    },
  };
}
