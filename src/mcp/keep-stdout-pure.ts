import { Writable } from 'node:stream';

/**
 * Keeps everything but the protocol off stdout, whoever writes it: what a dependency prints goes to stderr. Returns the
 * only stream that still leads to stdout.
 */
export function keepStdoutPure({ stdout, stderr }: NodeJS.Process): Writable {
  const write = stdout.write.bind(stdout);
  const protocol = new Writable({
    decodeStrings: false,
    write: (chunk: string | Uint8Array, encoding, done) => {
      write(chunk, encoding, (error) => done(error));
    },
  });
  stdout.on('error', (error) => protocol.destroy(error));
  // `console.log` goes this way too.
  stdout.write = stderr.write.bind(stderr) as typeof stdout.write;
  return protocol;
}
