import { resolve } from 'node:path';
import type { z } from 'zod';
import type { FieldIssue } from '../errors.ts';
import { defaultSandboxLimits } from '../sandbox/default-limits.ts';
import type { SandboxSettings } from '../sandbox/sandbox-settings.ts';
import { issue } from './issue.ts';
import type { variables } from './variables.ts';

/** Memory limit of a slot process in addition to Python's; 180 MB and more were measured. */
const SLOT_MEGABYTES = 344;
const MIN_SLOT_MEGABYTES = 250;

/** Paths are relative to `cwd`. */
export function sandboxSettings(
  value: z.output<typeof variables>,
  cwd: string,
  searchPath: string | undefined,
): SandboxSettings {
  const packages = value.CITEWELL_PYTHON_PACKAGES;
  const isAddress = packages !== undefined && /^https?:/.test(packages);
  const standard = defaultSandboxLimits;
  const seconds = (given: number | undefined, otherwise: number) => (given === undefined ? otherwise : given * 1_000);
  const megabytes = (given: number | undefined, otherwise: number) =>
    given === undefined ? otherwise : given * 1_000_000;
  const milliseconds = seconds(value.CITEWELL_PYTHON_SECONDS, standard.milliseconds);
  const max = seconds(value.CITEWELL_PYTHON_MOST_SECONDS, standard.maxMilliseconds);
  const pythonMegabytes = value.CITEWELL_PYTHON_MEMORY_MB ?? standard.pythonMegabytes;
  return {
    mode: value.CITEWELL_SANDBOX,
    limits: {
      ...standard,
      milliseconds,
      maxMilliseconds: Math.max(max, milliseconds),
      pythonMegabytes,
      processMegabytes: value.CITEWELL_PYTHON_PROCESS_MB ?? pythonMegabytes + SLOT_MEGABYTES,
      outputCharacters: value.CITEWELL_PYTHON_OUTPUT_CHARACTERS ?? standard.outputCharacters,
      inputBytes: megabytes(value.CITEWELL_PYTHON_INPUT_MB, standard.inputBytes),
      outputFiles: value.CITEWELL_PYTHON_FILES ?? standard.outputFiles,
      outputBytes: megabytes(value.CITEWELL_PYTHON_FILES_MB, standard.outputBytes),
      slots: value.CITEWELL_PYTHON_SLOTS ?? standard.slots,
      queued: value.CITEWELL_PYTHON_QUEUE ?? standard.queued,
      queuedMilliseconds: seconds(value.CITEWELL_PYTHON_QUEUE_SECONDS, standard.queuedMilliseconds),
      idleMilliseconds: seconds(value.CITEWELL_PYTHON_IDLE_SECONDS, standard.idleMilliseconds),
    },
    ...(packages !== undefined && { packages: isAddress ? packages : resolve(cwd, packages) }),
    ...(value.CITEWELL_PYODIDE_URL !== undefined && { pyodideUrl: value.CITEWELL_PYODIDE_URL }),
    ...(searchPath !== undefined && { searchPath }),
  };
}

/** Issues for limits that contradict each other. */
export function sandboxIssues(value: z.output<typeof variables>): FieldIssue[] {
  const python = value.CITEWELL_PYTHON_MEMORY_MB ?? defaultSandboxLimits.pythonMegabytes;
  const min = python + MIN_SLOT_MEGABYTES;
  const given = value.CITEWELL_PYTHON_PROCESS_MB;
  if (given === undefined || given >= min) return [];
  return [
    issue(
      'CITEWELL_PYTHON_PROCESS_MB',
      `expected at least ${min}: CITEWELL_PYTHON_MEMORY_MB and ${MIN_SLOT_MEGABYTES} more`,
    ),
  ];
}
