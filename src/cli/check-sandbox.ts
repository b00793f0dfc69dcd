import type { Config } from '../config.ts';
import { findOuterLayers } from '../sandbox/outer-layers.ts';
import { findRuntime } from '../sandbox/runtime.ts';
import { sandboxAbsence } from '../sandbox/sandbox-settings.ts';
import type { Finding } from './doctor-checks.ts';

/** Whether Python can run, and which isolation layers are active; docs/sandbox.md explains them. */
export async function checkSandbox({ sandbox }: Config): Promise<Finding> {
  const name = 'Python';
  const fix = 'See docs/sandbox.md; without it only python_executor is unavailable.';
  const absence = sandboxAbsence(sandbox);
  const search = findRuntime();
  if (sandbox.mode === 'off') return { name, state: 'ok', detail: absence ?? '' };
  if (!search.found || absence !== undefined) return { name, state: 'warning', detail: absence ?? '', fix };
  const { bubblewrap, kernelLimits } = await findOuterLayers(sandbox.searchPath);
  const layers = [
    `isolate (isolated-vm ${search.runtime.isolatedVmVersion}, Pyodide ${search.runtime.pyodideVersion})`,
    'process without permissions',
    ...(kernelLimits ? ["the kernel's limits"] : []),
    ...('program' in bubblewrap ? [`bubblewrap (${bubblewrap.program})`] : []),
  ];
  const detail = `layers: ${layers.join(', ')}`;
  if ('program' in bubblewrap) return { name, state: 'ok', detail };
  if (sandbox.mode === 'strict') {
    return { name, state: 'warning', detail: `${bubblewrap.absent}, and CITEWELL_SANDBOX=strict requires it`, fix };
  }
  return { name, state: 'ok', detail: `${detail}; missing: ${bubblewrap.absent}` };
}
