import { setImmediate } from 'node:timers/promises';

/** About 32 chunks. Callers send longer texts too, of which 32 would keep everything else waiting for seconds. */
const CHARACTERS = 32_000;

/** Called after each text that is embedded in the main thread; lets other work run after every so many characters. */
export function yieldPeriodically(): (text: string) => Promise<void> {
  let characters = 0;
  return async (text) => {
    characters += text.length;
    if (characters < CHARACTERS) return;
    characters = 0;
    await setImmediate();
  };
}
