import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { ServiceError } from '../errors.ts';
import { onAbort } from '../shared/abort.ts';

const PACKAGE = 'onnxruntime-node';
const VERSION = '1.30.0';

const runtimeFolder = (modelsFolder: string): string => join(modelsFolder, 'runtime');

/**
 * The entry file of ONNX Runtime, from the package installed with this program or else from the one that
 * `installRuntime` put into the models folder. Undefined if there is neither.
 */
export function findRuntime(modelsFolder: string): string | undefined {
  for (const from of [import.meta.url, join(runtimeFolder(modelsFolder), 'package.json')]) {
    try {
      return createRequire(from).resolve(PACKAGE);
    } catch {
      // Not installed.
    }
  }
  return undefined;
}

/**
 * Installs ONNX Runtime with npm into the models folder and deletes its binaries for other systems (288 MB to 46 MB on
 * Linux x64). Its install script, which downloads libraries for GPUs, is not run. Throws `not_configured`, `cancelled`.
 */
export async function installRuntime(modelsFolder: string, signal: AbortSignal): Promise<void> {
  const folder = runtimeFolder(modelsFolder);
  await mkdir(folder, { recursive: true });
  // Makes npm install into this folder and not into a project in a parent folder.
  await writeFile(join(folder, 'package.json'), '{ "private": true }\n');
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock', '--no-save'];
  await runNpm(['install', ...options, `${PACKAGE}@${VERSION}`], folder, signal);
  await deleteOtherSystems(join(folder, 'node_modules', PACKAGE, 'bin'));
  if (findRuntime(modelsFolder) === undefined) throw failed(`npm did not install ${PACKAGE}`);
}

function runNpm(args: readonly string[], cwd: string, signal: AbortSignal): Promise<void> {
  const isWindows = process.platform === 'win32';
  return new Promise((resolve, reject) => {
    // On Windows npm is a batch file, which only a shell runs; no argument comes from outside.
    const npm = spawn('npm', args, { cwd, shell: isWindows, stdio: ['ignore', 'ignore', 'pipe'] });
    let errors = '';
    npm.stderr.setEncoding('utf8').on('data', (text: string) => {
      errors = `${errors}${text}`.slice(-2_000);
    });
    const stopListening = onAbort(signal, () => npm.kill());
    npm.on('error', (cause) => reject(failed('npm cannot be started', cause)));
    npm.on('close', (code) => {
      stopListening();
      if (signal.aborted) reject(new ServiceError('cancelled', 'The installation was stopped.'));
      else if (code === 0) resolve();
      else reject(failed(/npm error .*\b(?:code|network)\b.*/.exec(errors)?.[0] ?? `npm ended with ${code}`, errors));
    });
  });
}

const failed = (reason: string, cause?: unknown): ServiceError =>
  new ServiceError(
    'not_configured',
    `ONNX Runtime could not be installed: ${reason}. Run "npm install ${PACKAGE}@${VERSION}" where Citewell is installed.`,
    { cause },
  );

/** The layout is `bin/napi-v<n>/<platform>/<architecture>`. */
async function deleteOtherSystems(bin: string): Promise<void> {
  if (!existsSync(bin)) return;
  for (const version of await readdir(bin)) {
    for (const platform of await readdir(join(bin, version))) {
      for (const architecture of await readdir(join(bin, version, platform))) {
        if (platform === process.platform && architecture === process.arch) continue;
        await rm(join(bin, version, platform, architecture), { recursive: true });
      }
    }
  }
}
