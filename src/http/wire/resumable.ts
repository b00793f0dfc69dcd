/** Ours, of a stream: what `resumable` asks for. */
export const RESUMABLE =
  'The answer is made to its end although its reader leaves, and can be read again by the header X-Run-Id.';
