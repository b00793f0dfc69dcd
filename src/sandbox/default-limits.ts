import { availableParallelism } from 'node:os';
import type { SandboxLimits } from './sandbox.ts';

/** Limits used unless configured otherwise. */
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
  keptBytes: 20_000_000,
  // With one slot, sessions would evict each other on every call.
  slots: Math.max(2, availableParallelism()),
  queued: 16,
  queuedMilliseconds: 30_000,
  idleMilliseconds: 600_000,
};
