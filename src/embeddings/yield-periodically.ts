import { setImmediate } from 'node:timers/promises';

/** About 32 chunks. Counted in characters, because 32 longer texts would block the event loop for seconds. */
const CHARACTERS = 32_000;

/** Returns a function to call after each text embedded in the main thread; it yields to the event loop periodically. */
export function yieldPeriodically(): (text: string) => Promise<void> {
  let characters = 0;
  return async (text) => {
    characters += text.length;
    if (characters < CHARACTERS) return;
    characters = 0;
    await setImmediate();
  };
}
