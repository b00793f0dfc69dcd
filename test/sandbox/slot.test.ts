import { constants, getPriority } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { SlotStart } from '../../src/sandbox/slot/slot-messages.ts';
import { type SlotOptions, startSlot, takeSnapshot } from '../../src/sandbox/slot.ts';

const { signal } = new AbortController();
/** The tests themselves may run at a low priority, which only a superuser may raise. */
const OWN = getPriority();
const LOWER = Math.max(OWN, constants.priority.PRIORITY_BELOW_NORMAL);

function optionsWith(snapshot: string | null): SlotOptions {
  const start: SlotStart = {
    binding: '',
    pyodide: '',
    snapshot,
    makesSnapshot: snapshot === null,
    packages: [],
    timeZones: {},
    seed: '',
    isolateMegabytes: 0,
    residentBytes: 0,
    harness: {
      stdout: 0,
      stderr: 0,
      value: 0,
      files: 0,
      file_bytes: 0,
      kept_bytes: 0,
      megabytes: 0,
      packages: [],
      withheld: [],
    },
  };
  const program = join(import.meta.dirname, 'support', 'priority-slot.ts');
  return {
    command: { program: process.execPath, args: ['--no-warnings', program] },
    start,
    maxReplyLength: 1_000_000,
    residentBytes: Number.POSITIVE_INFINITY,
  };
}

describe.runIf(process.platform === 'linux')('the priority of the interpreter', () => {
  it('is unchanged while its snapshot is made', async () => {
    await expect(takeSnapshot(optionsWith(null))).rejects.toThrow(new RegExp(`^${OWN}$`));
  });

  it('is unchanged while it starts for a call that waits, and lower while it starts in advance', async () => {
    await expect(startSlot(optionsWith(null), { isAwaited: true })).rejects.toThrow(new RegExp(`^${OWN}$`));
    await expect(startSlot(optionsWith(null), { isAwaited: false })).rejects.toThrow(new RegExp(`^${LOWER}$`));
  });

  it('is lower in all of its threads while it runs code', async () => {
    const slot = await startSlot(optionsWith('snapshot'), { isAwaited: true });
    try {
      const answer = await slot.ask({ request: '', milliseconds: 60_000 }, signal);
      const priorities: number[] = answer.kind === 'reply' ? JSON.parse(answer.text) : [];
      expect(priorities.length).toBeGreaterThan(4);
      expect(new Set(priorities)).toEqual(new Set([LOWER]));
    } finally {
      slot.end();
      await slot.ended;
    }
  });
});
