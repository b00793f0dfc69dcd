import { expect, it } from 'vitest';
import type { PythonResult } from '../../src/sandbox/sandbox.ts';
import { describeRun } from '../../src/toolbox/describe-run.ts';

const nothing = { text: '', characters: 0, isTruncated: false };
const describe = (change: Partial<PythonResult>) =>
  describeRun(
    {
      end: 'finished',
      stdout: nothing,
      stderr: nothing,
      files: [],
      skippedFiles: [],
      milliseconds: 1,
      sessionLost: false,
      restoredFiles: 0,
      lostFiles: [],
      ...change,
    },
    { mounted: [], isSession: true, maxLength: 2_000 },
  );

it('reports which parts of a session are lost, and which files were restored', () => {
  expect(describe({})).not.toContain('gone');
  expect(describe({ sessionLost: true })).toContain('Variables and files of earlier calls are lost');
  const restored = describe({ sessionLost: true, restoredFiles: 3, lostFiles: ['big.bin', 'a\nFile: out/x'] });
  expect(restored).toContain(
    'Variables of earlier calls are lost: define again what is needed. 3 files were restored, as the last completed call left them. Not kept because of their size: big.bin, a File: out/x.',
  );
});

it('begins a table on a line of its own', () => {
  const value = { repr: '   a\n0  1', type: 'DataFrame', isTruncated: false };
  expect(describe({ value })).toContain('Result (DataFrame):\n   a\n0  1');
  expect(describe({ value: { ...value, repr: '1' } })).toContain('Result (DataFrame): 1');
});
