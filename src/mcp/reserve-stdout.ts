import { Writable } from 'node:stream';

/**
 * Reserves stdout for the protocol: other output, such as that of dependencies, is redirected to stderr. Returns the
 * only stream that still writes to stdout.
 */
export function reserveStdout({ stdout, stderr }: NodeJS.Process): Writable {
  const write = stdout.write.bind(stdout);
  const protocol = new Writable({
    decodeStrings: false,
    write: (chunk: string | Uint8Array, encoding, done) => {
      write(chunk, encoding, (error) => done(error));
    },
  });
  stdout.on('error', (error) => protocol.destroy(error));
  // Also covers `console.log`.
  stdout.write = stderr.write.bind(stderr) as typeof stdout.write;
  return protocol;
}
