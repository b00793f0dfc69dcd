/** For conditions that have to come true: only a hang takes this long, on however slow a machine. */
export const PATIENT = { timeout: 120_000, interval: 50 } as const;

/** An upper bound on what ends promptly. Half the speed must pass; waiting for a time-out must not. */
export const PROMPTLY_MS = 15_000;
