import { describe, expect, it } from 'vitest';
import { reasonOf } from '../../../src/store/chroma/server-output.ts';

const banner = `   ((((   ####
Saving data to: /tmp/x
Connect to Chroma at: http://localhost:42521
Getting started guide: https://docs.trychroma.com/docs/overview/getting-started

☁️ To deploy your DB - try Chroma Cloud!
- Sign up: https://trychroma.com/signup
- Copy your data to Cloud: chroma copy --to-cloud --all
  2026-11-21T18:03:30.165558Z  INFO  Global tracing subscriber set
    at rust/tracing/src/init_tracer.rs:370
`;

describe('why the native server ended', () => {
  it.each([
    [
      'the message of a panic',
      `${banner}
thread '<unnamed>' (12350) panicked at rust/frontend/src/lib.rs:89:10:
Error creating Frontend Config: file is not a database
stack backtrace:
fatal runtime error: failed to initiate panic, error 5, aborting`,
      'Error creating Frontend Config: file is not a database.',
    ],
    ['its last words', `${banner}\nAddress 127.0.0.1:1 is not available\n`, 'Address 127.0.0.1:1 is not available.'],
    ['nothing, after no more than chatter', banner, 'It ended without output.'],
    ['nothing, after silence', '', 'It ended without output.'],
  ])('is %s', (_, words, reason) => {
    expect(reasonOf(words)).toBe(reason);
  });
});
