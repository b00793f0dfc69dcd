/** One server-sent event; `data` is text as it came. */
export interface StreamedEvent {
  readonly event: string;
  readonly data: string;
}

/** Reads the framing of docs/contract.md 5.5; comments are passed over. */
export async function* readEvents(body: AsyncIterable<Uint8Array>): AsyncGenerator<StreamedEvent, void> {
  const decoder = new TextDecoder();
  let buffer = '';
  for await (const bytes of body) {
    buffer += decoder.decode(bytes, { stream: true });
    for (let end = buffer.indexOf('\n\n'); end !== -1; end = buffer.indexOf('\n\n')) {
      const event = parseEvent(buffer.slice(0, end));
      buffer = buffer.slice(end + 2);
      if (event !== undefined) yield event;
    }
  }
}

function parseEvent(block: string): StreamedEvent | undefined {
  let event = 'message';
  const data: string[] = [];
  for (const line of block.split('\n')) {
    if (line.startsWith('event:')) event = line.slice('event:'.length).trim();
    if (line.startsWith('data:')) data.push(line.slice('data:'.length).trim());
  }
  return data.length === 0 ? undefined : { event, data: data.join('\n') };
}
