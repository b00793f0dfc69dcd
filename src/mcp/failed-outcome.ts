import { type Audience, type ErrorCode, messageFor, ServiceError } from '../errors.ts';
import type { ToolOutcome } from '../toolbox/call-tool.ts';

// Errors that persist until a person changes a setting, a folder or its permissions.
const PERSISTENT: ReadonlySet<ErrorCode> = new Set([
  'invalid_request',
  'invalid_field',
  'not_configured',
  'unknown_model',
  'forbidden',
  'embedding_mismatch',
]);

/** The outcome of a call that could not be executed. */
export function toFailedOutcome(error: unknown, audience: Audience): ToolOutcome {
  if (error instanceof ServiceError && PERSISTENT.has(error.code)) {
    const text = `Error [not_configured]: ${messageFor(error, audience)} Next step: Tell the user; calling again does not help until it is fixed.`;
    return { isError: true, code: 'not_configured', text };
  }
  if (error instanceof ServiceError && error.code !== 'cancelled') {
    const text = `Error [backend_unavailable]: ${messageFor(error, audience)} Next step: Try once more in a moment.`;
    return { isError: true, code: 'backend_unavailable', text };
  }
  if (error instanceof ServiceError || (error instanceof Error && error.name === 'AbortError')) {
    const text = 'Error [cancelled]: The call was cancelled. Next step: Call again if the result is still wanted.';
    return { isError: true, code: 'cancelled', text };
  }
  const text = 'Error [internal]: The call failed inside the service. Next step: Go on without it, or try once more.';
  return { isError: true, code: 'internal', text };
}
