import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleManifest } from './manifests.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const TOOL = join(dirname(findPackageJSON('@anthropic-ai/mcpb', import.meta.url) ?? ''), 'dist/cli/cli.js');

/** Time limit of one step, generous for slow networks. */
const MAX_STEP_MS = 300_000;

/** Runs a program and returns its stdout; throws with its output if it fails. */
function run(program: string, args: readonly string[], cwd: string): string {
  const { status, stdout, stderr, error } = spawnSync(program, [...args], {
    cwd,
    encoding: 'utf8',
    timeout: MAX_STEP_MS,
    killSignal: 'SIGKILL',
  });
  if (status === 0) return stdout;
  throw new Error(`${program} ${args.join(' ')} failed:\n${error?.message ?? `${stdout}${stderr}`}`);
}

const npm = (args: readonly string[], cwd: string) => run('npm', ['--silent', '--no-audit', '--no-fund', ...args], cwd);

/** Packs the tarball that would be published into the folder; returns its path. */
export function packPackage(folder: string): string {
  return join(folder, npm(['pack', '--pack-destination', folder], ROOT).trim().split('\n').at(-1) ?? '');
}

/** Installs the tarball as users do: without the lock file, so with the newest compatible dependencies. */
export function installPackage(tarball: string, folder: string): void {
  writeFileSync(join(folder, 'package.json'), '{"private": true}\n');
  npm(['install', '--omit=dev', '--prefer-offline', tarball], folder);
}

/** Unpacks the tarball into the folder and installs its production dependencies at the locked versions. */
export function unpackPackage(tarball: string, folder: string): string {
  const unpacked = join(folder, 'package');
  mkdirSync(unpacked, { recursive: true });
  run('tar', ['-xzf', tarball, '--strip-components=1', '-C', unpacked], folder);
  copyFileSync(join(ROOT, 'package-lock.json'), join(unpacked, 'package-lock.json'));
  npm(['ci', '--omit=dev', '--prefer-offline'], unpacked);
  return unpacked;
}

/** Checks the manifest and packs the unpacked package into a bundle. */
export function buildBundle(unpacked: string, file: string): void {
  writeFileSync(join(unpacked, 'manifest.json'), `${JSON.stringify(bundleManifest(process.platform), null, 2)}\n`);
  // Symbolic links to programs that are not needed; the archive format does not support links.
  rmSync(join(unpacked, 'node_modules/.bin'), { recursive: true, force: true });
  run(process.execPath, [TOOL, 'validate', join(unpacked, 'manifest.json')], unpacked);
  run(process.execPath, [TOOL, 'pack', unpacked, file], unpacked);
}

export function unpackBundle(file: string, folder: string): void {
  run(process.execPath, [TOOL, 'unpack', file, folder], ROOT);
}
