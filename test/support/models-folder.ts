import { existsSync } from 'node:fs';
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryFolder } from './temporary-folder.ts';

// ONNX Runtime is optional and large, so it is usually absent; `npm run local-models-test` installs it as a user does
// and names the folder here.
const runtime = process.env['CITEWELL_TEST_RUNTIME'];

/** Whether local models can be run here. */
export const hasRuntime = runtime !== undefined && existsSync(runtime);

/** An empty folder of installed models, with ONNX Runtime where there is one. */
export async function modelsFolder(): Promise<string> {
  const folder = await temporaryFolder();
  if (runtime !== undefined) await symlink(runtime, join(folder, 'runtime'), 'junction');
  return folder;
}
