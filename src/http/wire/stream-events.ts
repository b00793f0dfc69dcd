import { randomBytes } from 'node:crypto';
import type { ServiceError } from '../../errors.ts';
import type { ServerSentEvent } from '../sse.ts';

/** `msg_1a2b3c4d`: identifiers of the deltas of one answer (docs/contract.md 5.5). */
export const streamId = (prefix: 'msg' | 'think' | 'err'): string => `${prefix}_${randomBytes(4).toString('hex')}`;

/** A piece of the answer or of the thinking before it. */
export function deltaEvent(type: 'message' | 'thinking', id: string, text: string): ServerSentEvent {
  return {
    event: type,
    data: {
      id,
      object: `agent.${type}.delta`,
      delta: { content: [{ type: 'text', payload: { value: text, annotations: [] } }] },
    },
  };
}

/** Stands in the place of the final answer when there will be none (docs/contract.md 5.6). */
export function errorEvent(error: ServiceError): ServerSentEvent {
  return {
    event: 'error',
    data: {
      id: streamId('err'),
      object: 'agent.error',
      error: { message: error.message, type: 'agent_error', code: error.code },
    },
  };
}
