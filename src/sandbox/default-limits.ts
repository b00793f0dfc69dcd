import { availableParallelism } from 'node:os';
import type { SandboxLimits } from './sandbox.ts';

/** What applies where no setting says otherwise. */
export const defaultSandboxLimits: SandboxLimits = {
  milliseconds: 10_000,
  maxMilliseconds: 60_000,
  pythonMegabytes: 256,
  processMegabytes: 600,
  codeCharacters: 100_000,
  outputCharacters: 20_000,
  inputBytes: 10_000_000,
  outputFiles: 8,
  outputBytes: 2_000_000,
  // With a single slot every session would be lost to the next call of another.
  slots: Math.max(2, availableParallelism()),
  queued: 16,
  queuedMilliseconds: 30_000,
  idleMilliseconds: 600_000,
};
