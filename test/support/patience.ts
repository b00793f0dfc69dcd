/** For conditions that must become true: even on a slow machine, only a hang takes this long. */
export const PATIENT = { timeout: 120_000, interval: 50 } as const;

/** Upper bound for operations that end promptly: half the usual speed must pass, waiting for a time-out must not. */
export const PROMPTLY_MS = 15_000;
