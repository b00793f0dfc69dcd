import type { Operations } from './sqlite-messages.ts';

/** What search does next to the data, by name. */
export const searchOperations = {} as const satisfies Operations;
