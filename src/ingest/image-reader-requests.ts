import { type ErrorCode, ServiceError } from '../errors.ts';
import type { ImageReaderMessage } from './image-reader-source.ts';
import type { ImageReader } from './readers/image/image-reader.ts';

/** Replies to a request to read a picture. */
export type ImageReadMessage =
  | { readonly kind: 'seen'; readonly number: number; readonly text: string }
  | { readonly kind: 'unseen'; readonly number: number; readonly code: ErrorCode; readonly message: string };

export interface ImageReaderRequests {
  readonly see: ImageReader;
  /** Passes a reply to the request waiting for it. */
  settle(message: ImageReadMessage): void;
}

/** Sends pictures to another process to be read. */
export function createImageReaderRequests(send: (message: ImageReaderMessage) => void): ImageReaderRequests {
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
