import { type IncomingHttpHeaders, request as openRequest } from 'node:http';
import type { FuzzedRequest } from './request.ts';

/** Result of a request. */
export interface Outcome {
  /** Undefined if there was no response. */
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** Whether only the beginning of the text was kept. */
  readonly isCut: boolean;
  readonly milliseconds: number;
  readonly ending: 'whole' | 'left' | 'late' | 'broken' | 'unending';
  readonly error?: string;
}

/** Idle time after which a long-lived stream is closed. */
const SILENCE_MS = 1_000;
const KEPT_BYTES = 2_000_000;

export interface SendParts {
  readonly url: string;
  /** Time limit for the complete response, in milliseconds. */
  readonly limit: number;
}

/** Sends a request unchanged on a new connection and reads the complete response. */
export function send(fuzzed: FuzzedRequest, { url, limit }: SendParts): Promise<Outcome> {
  const { method, path, body, leavesAfter } = fuzzed;
  // Node omits Content-Length for methods that seldom have a body, which would turn the body into the next request.
  const length = body === undefined ? {} : { 'content-length': String(body.length) };
  const headers: FuzzedRequest['headers'] = { ...length, ...fuzzed.headers };
  const startedAt = performance.now();
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    let status: number | undefined;
    let answered: IncomingHttpHeaders = {};
    let silence: NodeJS.Timeout | undefined;
    const parts: Buffer[] = [];
    let received = 0;
    const end = (ending: Outcome['ending'], error?: string): void => {
      clearTimeout(timer);
      clearTimeout(leaving);
      clearTimeout(silence);
      const text = Buffer.concat(parts).toString('utf8');
      const milliseconds = performance.now() - startedAt;
      resolve({
        status,
        headers: answered,
        text,
        isCut: received >= KEPT_BYTES,
        milliseconds,
        ending,
        ...(error !== undefined && { error }),
      });
      outgoing.destroy();
    };
    const outgoing = openRequest(
      {
        hostname,
        port,
        method,
        path,
        headers: headers as Record<string, string>,
        agent: false,
        setHost: headers['host'] === undefined,
      },
      (response) => {
        status = response.statusCode;
        answered = response.headers;
        const isOpenEnded = path.startsWith('/mcp') && /event-stream/.test(response.headers['content-type'] ?? '');
        const wait = (): void => {
          clearTimeout(silence);
          if (isOpenEnded) silence = setTimeout(end, SILENCE_MS, 'unending');
        };
        wait();
        response.on('data', (data: Buffer) => {
          wait();
          received += data.length;
          if (received < KEPT_BYTES) parts.push(data);
        });
        response.on('end', () => end('whole'));
        response.on('error', (error) => end('broken', error.message));
        response.on('aborted', () => end('broken', 'cut off'));
      },
    );
    const timer = setTimeout(end, limit, 'late');
    const leaving = leavesAfter === undefined ? undefined : setTimeout(end, leavesAfter, 'left');
    outgoing.on('error', (error) => end('broken', error.message));
    // Sends only half of the announced body.
    if (leavesAfter !== undefined && body !== undefined) outgoing.write(body.subarray(0, body.length >> 1));
    else outgoing.end(body);
  });
}
