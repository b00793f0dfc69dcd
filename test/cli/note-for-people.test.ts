import { expect, it } from 'vitest';
import { noteForPeople } from '../../src/cli/note-for-people.ts';

/** What is written to stderr when stdin is a terminal or not. */
function noteOn(isTTY: boolean): string {
  let said = '';
  const stderr = { write: (text: string) => (said += text) };
  noteForPeople({ stdin: { isTTY }, stderr } as never);
  return said;
}

it('says at a terminal what citewell mcp waits for, and nothing to a client', () => {
  expect(noteOn(true)).toContain('"citewell mcp install"');
  expect(noteOn(false)).toBe('');
});
