import { type ErrorCode, ServiceError } from '../errors.ts';
import type { ImageReaderRequest } from './image-reader-source.ts';
import type { ImageReader } from './readers/image/image-reader.ts';

/** Replies to a request to read a picture. */
export type ImageReaderReply =
  | { readonly kind: 'image_text'; readonly number: number; readonly text: string }
  | { readonly kind: 'image_failed'; readonly number: number; readonly code: ErrorCode; readonly message: string };

export interface ImageReaderRequests {
  readonly readImage: ImageReader;
  /** Passes a reply to the request waiting for it. */
  settle(message: ImageReaderReply): void;
}

/** Sends pictures to another process to be read. */
export function createImageReaderRequests(send: (message: ImageReaderRequest) => void): ImageReaderRequests {
  const waiting = new Map<number, { resolve(text: string): void; reject(error: Error): void }>();
  let count = 0;
  return {
    readImage: (picture) =>
      new Promise((resolve, reject) => {
        const number = ++count;
        waiting.set(number, { resolve, reject });
        send({ kind: 'read_image', number, picture });
      }),
    settle(message) {
      const request = waiting.get(message.number);
      waiting.delete(message.number);
      if (message.kind === 'image_text') request?.resolve(message.text);
      else request?.reject(new ServiceError(message.code, message.message));
    },
  };
}
