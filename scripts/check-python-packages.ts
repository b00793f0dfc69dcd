import './build-first.js';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ServiceError } from '../src/errors.ts';
import { defaultSandboxLimits } from '../src/sandbox/default-limits.ts';
import { addPackages, packagesFolder, releaseAddress } from '../src/sandbox/install-packages.ts';
import { findOuterLayers } from '../src/sandbox/outer-layers.ts';
import { openPackages } from '../src/sandbox/packages.ts';
import { createPythonSandbox } from '../src/sandbox/python-sandbox.ts';
import { findRuntime } from '../src/sandbox/runtime.ts';
import type { PythonResult } from '../src/sandbox/sandbox.ts';

/**
 * Installs numpy, pandas and matplotlib from Pyodide's release and uses them in the sandbox. Needs the network, or a
 * folder with the files of the release in --from: node scripts/check-python-packages.ts [--from FOLDER]
 */
const PROGRAMS: readonly (readonly [name: string, code: string, isRight: (result: PythonResult) => boolean])[] = [
  [
    'numpy',
    'import numpy as np\na = np.arange(1_000_000).reshape(1000, 1000)\n[int(a.sum()), float(np.linalg.det(np.eye(50) * 2)) == 2.0**50]',
    ({ value }) => JSON.stringify(value?.json) === '[499999500000,true]',
  ],
  [
    'pandas',
    'import pandas as pd\npd.DataFrame({"town": ["A", "B", "A"], "boats": [1, 2, 3]}).groupby("town").sum()',
    ({ value }) => value?.type === 'DataFrame' && /A +4\nB +2/.test(value.repr),
  ],
  [
    'matplotlib',
    'import matplotlib.pyplot as plt\nplt.plot([1, 4, 9])\nplt.title("Squares")\nplt.show()',
    ({ files }) => files[0]?.name === 'figure-1.png' && Buffer.from(files[0].bytes).includes('PNG'),
  ],
];

const { values } = parseArgs({ options: { from: { type: 'string' } } });
const search = findRuntime();
if (!search.found) throw new Error(search.reason);
const { runtime } = search;
const cacheFolder = await mkdtemp(join(tmpdir(), 'citewell-python-'));
const { signal } = new AbortController();
try {
  await addPackages({
    ...runtime,
    folder: packagesFolder(cacheFolder),
    from: values.from,
    signal,
    names: PROGRAMS.map(([name]) => name),
    address: process.env['CITEWELL_PYODIDE_URL'] ?? releaseAddress(runtime.pyodideVersion),
    onProgress: () => undefined,
  });
  const sandbox = createPythonSandbox({
    runtime,
    cacheFolder,
    packages: openPackages(undefined, { ...runtime, cacheFolder }),
    layers: () => findOuterLayers(process.env['PATH']),
    limits: { ...defaultSandboxLimits, queuedMilliseconds: 180_000, milliseconds: 60_000 },
  });
  try {
    for (const [name, code, isRight] of PROGRAMS) {
      const result = await sandbox.run({ code, inputs: {}, files: [], session: 'check' }, signal);
      console.log(
        isRight(result) ? 'ok   ' : 'WRONG',
        name,
        `${result.milliseconds} ms`,
        result.error?.traceback ?? '',
      );
      if (!isRight(result)) process.exitCode = 1;
    }
  } finally {
    await sandbox.close();
  }
} catch (error) {
  console.error(error instanceof ServiceError ? error.message : error);
  process.exitCode = 1;
} finally {
  await rm(cacheFolder, { recursive: true, force: true });
}
