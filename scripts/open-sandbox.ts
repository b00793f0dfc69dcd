import { join } from 'node:path';
import { defaultSandboxLimits } from '../src/sandbox/default-limits.ts';
import { findOuterLayers } from '../src/sandbox/outer-layers.ts';
import { openPackages } from '../src/sandbox/packages.ts';
import { createPythonSandbox } from '../src/sandbox/python-sandbox.ts';
import { findRuntime } from '../src/sandbox/runtime.ts';
import type { SandboxLimits } from '../src/sandbox/sandbox.ts';

// In node_modules, so that all runs share the snapshot; its key covers everything it depends on.
const CACHE = join(import.meta.dirname, '..', 'node_modules', '.cache', 'citewell');

/** Opens the real sandbox, for scripts and tests without a service. */
export async function openSandbox(limits: Partial<SandboxLimits> = {}, packages?: string, path = '') {
  const search = findRuntime();
  if (!search.found) throw new Error(search.reason);
  const { runtime } = search;
  return createPythonSandbox({
    runtime,
    layers: () => findOuterLayers(path),
    // A generous limit: a slow machine takes half a minute to create the snapshot.
    limits: { ...defaultSandboxLimits, queuedMilliseconds: 180_000, milliseconds: 60_000, ...limits },
    cacheFolder: CACHE,
    packages: openPackages(packages, { ...runtime, cacheFolder: CACHE }),
  });
}
