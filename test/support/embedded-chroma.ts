import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ServiceError } from '../../src/errors.ts';
import type { ChromaLog } from '../../src/store/chroma/chroma-log.ts';
import { type EmbeddedChroma, openEmbeddedChroma } from '../../src/store/chroma/embedded-chroma.ts';
import { PATIENT } from './patience.ts';

/** Shared by all tests, because the native module that is patched for older systems takes 50 MB. */
export const bindingCache = fileURLToPath(new URL('../../node_modules/.cache/citewell', import.meta.url));

/** Waits until Chroma has started, which takes longer on a busy machine than `ready` waits. */
async function started(chroma: EmbeddedChroma): Promise<void> {
  const until = Date.now() + PATIENT.timeout;
  for (;;) {
    try {
      return await chroma.ready();
    } catch (error) {
      if (Date.now() > until || !(error instanceof ServiceError) || error.retryAfter === undefined) throw error;
    }
  }
}

export const silentLog: ChromaLog = { info: () => undefined, warn: () => undefined };

/** A real embedded Chroma in a temporary folder, removed by `close`. */
export async function startEmbeddedChroma(log: ChromaLog = silentLog): Promise<EmbeddedChroma> {
  const folder = await mkdtemp(join(tmpdir(), 'citewell-chroma-'));
  const chroma = await openEmbeddedChroma({ folder: join(folder, 'chroma'), cacheFolder: bindingCache, log });
  const closeServer = chroma.close;
  const close = async (): Promise<void> => {
    await closeServer();
    await rm(folder, { recursive: true, force: true });
  };
  await started(chroma);
  return Object.defineProperty(chroma, 'close', { value: close });
}
