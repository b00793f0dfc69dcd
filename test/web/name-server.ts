import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { isIPv6 } from 'node:net';
import { onTestFinished } from 'vitest';

const NO_SUCH_NAME = 3;
const TYPES = { A: 1, AAAA: 28 } as const;

/** Addresses by name; a silent one is never answered. */
export type Zone = Readonly<Record<string, readonly string[] | 'silent'>>;

/** A name server on loopback for the duration of the running test, as `address:port`, with the questions it got. */
export async function serveNames(zone: Zone, { isSilentInIpv6 = false } = {}) {
  const questions: string[] = [];
  const server = createSocket('udp4');
  server.on('message', (query, { port, address }) => {
    const { name, type, end } = readQuestion(query);
    questions.push(name);
    const known = zone[name];
    if (known === 'silent' || (isSilentInIpv6 && type === TYPES.AAAA)) return;
    const answers = (known ?? []).filter((each) => isIPv6(each) === (type === TYPES.AAAA));
    const header = Buffer.from(query.subarray(0, 12));
    header.writeUInt16BE(0x8180 | (known === undefined ? NO_SUCH_NAME : 0), 2);
    header.writeUInt16BE(answers.length, 6);
    header.writeUInt32BE(0, 8);
    const records = answers.map((each) => record(type, each));
    server.send(Buffer.concat([header, query.subarray(12, end), ...records]), port, address);
  });
  server.bind(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
  });
  return { address: `127.0.0.1:${server.address().port}`, questions };
}

function readQuestion(query: Buffer) {
  const labels: string[] = [];
  let at = 12;
  for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += length + 1;
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
}

function record(type: number, address: string): Buffer {
  const bytes = isIPv6(address)
    ? Buffer.from(
        new URL(`http://[${address}]`).hostname.slice(1, -1).split('::').map(groupsOf).reduce(padded).join(''),
        'hex',
      )
    : Buffer.from(address.split('.').map(Number));
  const head = Buffer.alloc(12);
  // The name is that of the question, at the twelfth byte.
  head.writeUInt16BE(0xc00c, 0);
  head.writeUInt16BE(type, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt32BE(60, 6);
  head.writeUInt16BE(bytes.length, 10);
  return Buffer.concat([head, bytes]);
}

const groupsOf = (part: string): string[] =>
  part === '' ? [] : part.split(':').map((group) => group.padStart(4, '0'));

const padded = (left: string[], right: string[]): string[] => [
  ...left,
  ...Array.from({ length: 8 - left.length - right.length }, () => '0000'),
  ...right,
];
