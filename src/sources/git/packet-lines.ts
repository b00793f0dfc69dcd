import { ServiceError } from '../../errors.ts';

/** One line of Git's protocol, or one of the marks between lines. */
export type Packet = Uint8Array | 'flush' | 'delimiter';

/** What is written between two parts of a request, and at its end. */
export const DELIMITER = '0001';
export const FLUSH = '0000';

export const packetLine = (text: string): string =>
  `${(Buffer.byteLength(text) + 5).toString(16).padStart(4, '0')}${text}\n`;

/** The text of a line, without its line break. */
export const lineOf = (packet: Uint8Array): string => Buffer.from(packet).toString('utf8').replace(/\n$/, '');

/** Throws `invalid_request` for what is not of this protocol, `provider_failed` for a body that breaks off within a line. */
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

/** Bytes of a packet with its head; 4 for the marks. */
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
