import { findOuterLayers } from '../sandbox/outer-layers.ts';
import { openPackages } from '../sandbox/packages.ts';
import { createPythonSandbox } from '../sandbox/python-sandbox.ts';
import { findRuntime } from '../sandbox/runtime.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { type SandboxSettings, sandboxAbsence } from '../sandbox/sandbox-settings.ts';

/** Undefined if Python cannot be run with these settings. Nothing is started before first use. */
export function openSandbox(
  settings: SandboxSettings,
  cacheFolder: string,
  report: (message: string, cause?: unknown) => void,
): Sandbox | undefined {
  const search = findRuntime();
  if (!search.found || sandboxAbsence(settings) !== undefined) return undefined;
  const { runtime } = search;
  return createPythonSandbox({
    runtime,
    layers: () => findOuterLayers(settings.searchPath),
    needsBubblewrap: settings.mode === 'strict',
    limits: settings.limits,
    cacheFolder,
    packages: openPackages(settings.packages, { ...runtime, cacheFolder, report }),
    report,
  });
}
