import { readFile } from 'node:fs/promises';
import { ServiceError } from '../../errors.ts';
import { glibcName, isNewer } from './glibc.ts';
import { type BindingHost, findBindingPackage, loadableBinding, thisHost } from './loadable-binding.ts';
import { newestGlibcNeeded } from './lower-glibc-needs.ts';

/** Whether the embedded Chroma can run on this machine, for `doctor`. */
export interface ChromaFacts {
  readonly packageName: string | null;
  readonly packageVersion: string | null;
  /** E.g. `2.36`; null on systems without glibc. */
  readonly glibcInstalled: string | null;
  readonly glibcNeeded: string | null;
  /**
   * True when the package requires a newer glibc than is installed, and a patched copy with a lower requirement is
   * used.
   */
  readonly usesPatchedCopy: boolean;
  /** The native module that is loaded; null when none can be. */
  readonly file: string | null;
  readonly loadable: boolean;
  /** Why it cannot be loaded and what to do; null when it can. */
  readonly problem: string | null;
}

/**
 * Finds the native module that the embedded Chroma would load, creating the patched copy if one is needed; starts
 * nothing.
 */
export async function describeChroma(cacheFolder: string, host: BindingHost = thisHost()): Promise<ChromaFacts> {
  const nothing: ChromaFacts = {
    packageName: null,
    packageVersion: null,
    glibcInstalled: host.glibc ? glibcName(host.glibc) : null,
    glibcNeeded: null,
    usesPatchedCopy: false,
    file: null,
    loadable: false,
    problem: null,
  };
  let known = nothing;
  try {
    const binding = await findBindingPackage(host);
    known = { ...known, packageName: binding.name, packageVersion: binding.version };
    const needed = host.glibc ? newestGlibcNeeded(await readFile(binding.file)) : undefined;
    known = { ...known, glibcNeeded: needed ? glibcName(needed) : null };
    const file = await loadableBinding(binding, host, cacheFolder);
    const usesPatchedCopy = needed !== undefined && host.glibc !== undefined && isNewer(needed, host.glibc);
    return { ...known, usesPatchedCopy, file, loadable: true };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return { ...known, problem: error.message };
  }
}
