import { ServiceError } from '../../errors.ts';

/** A pkt-line of Git's protocol: data, or a special packet without data. */
export type Packet = Uint8Array | 'flush' | 'delimiter';

/** Special packets: the delimiter between sections of a request, and the flush packet that ends it. */
export const DELIMITER = '0001';
export const FLUSH = '0000';

export const packetLine = (text: string): string =>
  `${(Buffer.byteLength(text) + 5).toString(16).padStart(4, '0')}${text}\n`;

/** The text of a packet without the trailing line break. */
export const lineOf = (packet: Uint8Array): string => Buffer.from(packet).toString('utf8').replace(/\n$/, '');

/** Splits a body into packets. Throws `invalid_request` if it is not pkt-line data, `provider_failed` if truncated. */
export async function* readPackets(body: AsyncIterable<Uint8Array>): AsyncGenerator<Packet, void> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of body) {
    rest = rest.length === 0 ? Buffer.from(chunk) : Buffer.concat([rest, chunk]);
    let at = 0;
    while (rest.length - at >= 4) {
      const length = lengthAt(rest, at);
      if (rest.length - at < length) break;
      yield length === 4 ? markAt(rest, at) : rest.subarray(at + 4, at + length);
      at += length;
    }
    rest = rest.subarray(at);
  }
  if (rest.length > 0) throw new ServiceError('provider_failed', 'The answer of the Git server broke off.');
}

/** Length of a packet including its header; 4 for special packets. */
function lengthAt(bytes: Buffer, at: number): number {
  const head = bytes.toString('latin1', at, at + 4);
  if (!/^[0-9a-f]{4}$/i.test(head)) throw notGit();
  return Math.max(4, Number.parseInt(head, 16));
}

const markAt = (bytes: Buffer, at: number): Packet => {
  const head = bytes.toString('latin1', at, at + 4);
  return head === '0004' ? new Uint8Array() : head === DELIMITER ? 'delimiter' : 'flush';
};

const notGit = () => new ServiceError('invalid_request', 'The answer is not one of a Git server. Check the address.');
