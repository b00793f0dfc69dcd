/** A `fetch` whose response bodies fail after `max` bytes; `onTooMuch` is called first. */
export function boundedFetch(
  max: number,
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
          if (read <= max) return controller.enqueue(piece);
          onTooMuch();
          controller.error(new Error(`The answer is longer than ${max} bytes.`));
        },
      }),
    );
    const { status, statusText, headers } = response;
    return new Response(counted, { status, statusText, headers });
  };
}
