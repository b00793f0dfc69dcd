import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { reserveStdout } from '../../src/mcp/reserve-stdout.ts';

it('redirects all other output to stderr, and reserves stdout for the protocol', async () => {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const protocol = reserveStdout({ stdout, stderr } as never);
  stdout.write('a dependency greets you\n');
  protocol.end('{"jsonrpc":"2.0"}\n');
  await once(protocol, 'finish');
  stdout.end();
  stderr.end();
  expect(await text(stdout)).toBe('{"jsonrpc":"2.0"}\n');
  expect(await text(stderr)).toBe('a dependency greets you\n');
});
