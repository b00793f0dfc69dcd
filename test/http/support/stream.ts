/** An event as read by a client without types. */
export interface Streamed {
  readonly id: string | undefined;
  readonly name: string;
  // biome-ignore lint/suspicious/noExplicitAny: events of many shapes
  readonly data: any;
}

/** All events in a stream's text; the terminator has no data. */
export function eventsOf(text: string): Streamed[] {
  return [...text.matchAll(/(?:id: (.*)\n)?event: (.*)\ndata: (.*)\n\n/g)].map(([, id, name = '', data = '']) => ({
    id,
    name,
    data: data === '[DONE]' ? data : JSON.parse(data),
  }));
}

/** Reads until a text has arrived, then breaks the connection; returns what was read, complete events only. */
export async function readUntil(response: Response, text: string, leaving: AbortController): Promise<string> {
  let seen = '';
  if (response.body === null) throw new Error('The response has no body.');
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  while (!seen.includes(text)) {
    const { done, value } = await reader.read();
    if (done) throw new Error(`The stream ended before ${JSON.stringify(text)}:\n${seen}`);
    seen += value;
  }
  leaving.abort();
  await reader.cancel().catch(() => {});
  return seen.slice(0, seen.lastIndexOf('\n\n') + 2);
}
