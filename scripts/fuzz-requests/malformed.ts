import { connect } from 'node:net';
import type { Random } from '../seeded-random.ts';

/** Invalid or ambiguous HTTP. */
const openings: readonly [string, ...string[]] = [
  '',
  '\r\n\r\n',
  '\0\0\0\0',
  'GET\r\n\r\n',
  'GET / HTTP/9.9\r\n\r\n',
  'GET /v3/health HTTP/1.1\r\n\r\n',
  'GET /v3/health HTTP/1.0\r\n\r\n',
  'GET /v3/health HTTP/1.1\r\nHost: localhost\r\nHost: other\r\n\r\n',
  'GET http://evil.invalid/v3/health HTTP/1.1\r\nHost: localhost\r\n\r\n',
  'GET * HTTP/1.1\r\nHost: localhost\r\n\r\n',
  'GET //v3//health HTTP/1.1\r\nHost: localhost\r\n\r\n',
  'GET /v3/health\tHTTP/1.1\r\nHost: localhost\r\n\r\n',
  'CONNECT localhost:1 HTTP/1.1\r\nHost: localhost\r\n\r\n',
  'GET /v3/health HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n',
  'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  'POST /v3/retrieval/search HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
  'POST /v3/retrieval/search HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n',
  'POST /v3/retrieval/search HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999999999999\r\n\r\n',
  'POST /v3/retrieval/search HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\n{}\r\n0\r\n\r\n',
  'POST /v3/retrieval/search HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: gzip\r\n\r\n',
  'POST /v3/documents HTTP/1.1\r\nHost: localhost\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: 500\r\n\r\n--b\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\nhalf of',
  `GET /v3/health HTTP/1.1\r\nHost: localhost\r\n${'X-Many: a\r\n'.repeat(3_000)}\r\n`,
  `GET /v3/health HTTP/1.1\r\nHost: localhost\r\nX-Long: ${'a'.repeat(70_000)}\r\n\r\n`,
  `GET /${'a'.repeat(70_000)} HTTP/1.1\r\nHost: localhost\r\n\r\n`,
  'GET /v3/health HTTP/1.1\r\nHost: localhost\r\nX-Folded: a\r\n b\r\n\r\n',
  'GET /v3/health HTTP/1.1\r\nHost: localhost\r\nX-Nul: a\0b\r\n\r\n',
  'GET /v3/h%C3\xe4lth HTTP/1.1\r\nHost: \xff\xfe\r\n\r\n',
];

const PATIENCE_MS = 300;

/** Sends invalid HTTP and closes the connection; `status` is undefined if there was no response. */
export function sendMalformed(
  url: string,
  random: Random,
): Promise<{ readonly status: number | undefined; readonly request: string }> {
  const opening = random.pick(openings);
  const request = random.chance(0.2) ? opening.slice(0, random.integer(0, opening.length)) : opening;
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    let answer = '';
    const socket = connect(Number(port), hostname);
    const end = (): void => {
      clearTimeout(timer);
      socket.destroy();
      const [, status] = /^HTTP\/1\.\d (\d{3})/.exec(answer) ?? [];
      resolve({ status: status === undefined ? undefined : Number(status), request });
    };
    const timer = setTimeout(end, PATIENCE_MS);
    socket.on('data', (data) => {
      answer += data.toString('latin1');
    });
    socket.on('close', end);
    socket.on('error', end);
    socket.write(request, 'latin1');
  });
}
