import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

type Collect = (options: { readonly type: 'major'; readonly flavor: 'last-resort' }) => void;

/**
 * Collects the garbage of this thread. Unlike an ordinary collection, the `last-resort` flavor returns heap pages to the
 * operating system. False if another thread that collects at the same moment prevents it.
 */
export function collectGarbage(): boolean {
  const options = { type: 'major', flavor: 'last-resort' } as const;
  const { gc } = globalThis as { readonly gc?: Collect };
  // Defined if Node was started with --expose-gc; that flag must not be reset below.
  if (gc !== undefined) {
    gc(options);
    return true;
  }
  try {
    setFlagsFromString('--expose-gc');
    const collect: Collect = runInNewContext('gc');
    collect(options);
    return true;
  } catch {
    // The other thread has just reset the flag, which is common to all.
    return false;
  } finally {
    // Contexts created later must not get the function.
    setFlagsFromString('--no-expose-gc');
  }
}
