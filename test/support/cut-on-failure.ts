import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';

/**
 * The listener of a test's server that answers asynchronously. If it fails, for example because the client left in the
 * middle of its request, the connection is cut; the rejection would otherwise fail the run without naming a test.
 */
export function cutOnFailure(
  answer: (request: IncomingMessage, response: ServerResponse) => Promise<unknown>,
): RequestListener {
  return (request, response) => {
    answer(request, response).catch(() => response.destroy());
  };
}
