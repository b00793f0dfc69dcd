import { existsSync } from 'node:fs';
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryFolder } from './temporary-folder.ts';

// ONNX Runtime is optional and large, so it is usually absent. `npm run local-models-test` installs it as a user would
// and passes its folder in this variable.
const runtime = process.env['CITEWELL_TEST_RUNTIME'];

/** Whether ONNX Runtime is installed, so that local models can run. */
export const hasRuntime = runtime !== undefined && existsSync(runtime);

/** A folder without models, with ONNX Runtime if it is installed. */
export async function modelsFolder(): Promise<string> {
  const folder = await temporaryFolder();
  if (runtime !== undefined) await symlink(runtime, join(folder, 'runtime'), 'junction');
  return folder;
}
