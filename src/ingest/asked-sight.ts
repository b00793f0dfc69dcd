import { type ErrorCode, ServiceError } from '../errors.ts';
import type { Sight } from './readers/sight.ts';
import type { SightMessage } from './sight-source.ts';

/** What is answered to a picture that was sent to be read. */
export type SeenMessage =
  | { readonly kind: 'seen'; readonly number: number; readonly text: string }
  | { readonly kind: 'unseen'; readonly number: number; readonly code: ErrorCode; readonly message: string };

export interface AskedSight {
  readonly see: Sight;
  /** Takes an answer to where it is waited for. */
  settle(message: SeenMessage): void;
}

/** Has pictures read by the other end of a line. */
export function createAskedSight(send: (message: SightMessage) => void): AskedSight {
  const waiting = new Map<number, { resolve(text: string): void; reject(error: Error): void }>();
  let count = 0;
  return {
    see: (picture) =>
      new Promise((resolve, reject) => {
        const number = ++count;
        waiting.set(number, { resolve, reject });
        send({ kind: 'see', number, picture });
      }),
    settle(message) {
      const asked = waiting.get(message.number);
      waiting.delete(message.number);
      if (message.kind === 'seen') asked?.resolve(message.text);
      else asked?.reject(new ServiceError(message.code, message.message));
    },
  };
}
