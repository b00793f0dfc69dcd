/** A `fetch` whose response bodies fail after `most` bytes; `onTooMuch` is called first. */
export function boundedFetch(
  most: number,
  onTooMuch: () => void,
): (url: string | URL, init?: RequestInit) => Promise<Response> {
  return async (url, init) => {
    const response = await fetch(url, init);
    if (response.body === null) return response;
    let read = 0;
    const counted = response.body.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform(piece, controller) {
          read += piece.byteLength;
          if (read <= most) return controller.enqueue(piece);
          onTooMuch();
          controller.error(new Error(`The answer is longer than ${most} bytes.`));
        },
      }),
    );
    const { status, statusText, headers } = response;
    return new Response(counted, { status, statusText, headers });
  };
}
