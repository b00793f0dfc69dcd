import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import type { Stage } from './read-dockerfile.ts';

const SUITE = 'trixie';
const DEBIAN = 'http://deb.debian.org/debian';

/**
 * Creates what the Dockerfile uses of Node's base image: a minimal Debian, with Node and npm from their npm packages in
 * /usr/local. Needs root and mmdebstrap.
 */
export function makeBaseRoot(root: string, scratch: string): void {
  execFileSync(
    'mmdebstrap',
    ['--quiet', '--variant=minbase', '--mode=root', '--include=ca-certificates', SUITE, root, DEBIAN],
    {
      stdio: ['ignore', 'inherit', 'inherit'],
    },
  );
  const npm = ['install', '--prefix', scratch, '--no-save', '--no-audit', '--no-fund', '--ignore-scripts'];
  execFileSync('npm', [...npm, `node-linux-${process.arch}@24`, 'npm@11'], { stdio: ['ignore', 'ignore', 'inherit'] });
  const packages = join(scratch, 'node_modules');
  const local = join(root, 'usr/local');
  cpSync(join(packages, `node-linux-${process.arch}`, 'bin/node'), join(local, 'bin/node'));
  cpSync(join(packages, 'npm'), join(local, 'lib/node_modules/npm'), { recursive: true });
  for (const name of ['npm', 'npx'])
    symlinkSync(`../lib/node_modules/npm/bin/${name}-cli.js`, join(local, 'bin', name));
}

/** How the program of an image is started. */
export interface ImageStart {
  readonly variables: Readonly<Record<string, string>>;
  readonly workdir: string;
  readonly user: string;
  readonly command: readonly string[];
  readonly healthcheck: readonly string[];
  readonly volumes: readonly string[];
}

const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** Executes the steps of a stage in its root folder, which starts as a copy of the base. */
export function buildStage(
  stage: Stage,
  root: string,
  context: string,
  roots: ReadonlyMap<string, string>,
): ImageStart {
  let variables: Record<string, string> = { PATH, HOME: '/root' };
  let [workdir, user] = ['/', '0:0'];
  let entrypoint: readonly string[] = [];
  let cmd: readonly string[] = [];
  let healthcheck: readonly string[] = [];
  let volumes: readonly string[] = [];
  for (const step of stage.steps) {
    switch (step.kind) {
      case 'run':
        console.log(`  RUN ${step.command}`);
        runInRoot(root, ['/bin/sh', '-ec', step.command], { variables, workdir });
        break;
      case 'copy': {
        const source = step.from === undefined ? context : roots.get(step.from);
        if (source === undefined) throw new Error(`COPY names the stage ${step.from}, which is not built before it.`);
        for (const path of step.sources) copyInto(join(source, path), root, resolve(workdir, step.target), step.target);
        break;
      }
      case 'workdir':
        workdir = resolve(workdir, step.path);
        mkdirSync(join(root, workdir), { recursive: true });
        break;
      case 'env':
        variables = { ...variables, ...step.variables };
        break;
      case 'user':
        user = step.user;
        break;
      case 'entrypoint':
        entrypoint = step.words;
        break;
      case 'cmd':
        cmd = step.words;
        break;
      case 'healthcheck':
        healthcheck = step.words;
        break;
      case 'volume':
        volumes = step.paths;
        break;
      case 'expose':
        break;
    }
  }
  return {
    variables: { ...variables, HOME: homeOf(user, root) },
    workdir,
    user,
    command: [...entrypoint, ...cmd],
    healthcheck,
    volumes,
  };
}

const homeOf = (user: string, root: string): string =>
  readFileSync(join(root, 'etc/passwd'), 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
    .find(([, , uid]) => uid === user.split(':')[0])?.[5] ?? '/';

/** Copies like COPY: the content of a folder; a file into the target if that is a folder or ends with a slash. */
function copyInto(source: string, root: string, target: string, written: string): void {
  const inside = join(root, target);
  const isFolder = statSync(source).isDirectory();
  const isInto = !isFolder && (written.endsWith('/') || (existsSync(inside) && statSync(inside).isDirectory()));
  mkdirSync(isFolder || isInto ? inside : resolve(inside, '..'), { recursive: true });
  // `cp` preserves links and modes; files are owned by root, as with COPY.
  const from = isFolder ? `${source}/.` : source;
  execFileSync('cp', ['-a', '--no-preserve=ownership', from, isInto ? join(inside, basename(source)) : inside]);
}

interface RunOptions {
  readonly variables: Readonly<Record<string, string>>;
  readonly workdir: string;
}

/** Behind a proxy that intercepts TLS, installing anything requires the extra certificates of this machine. */
const EXTRA_CERTIFICATES = 'NODE_EXTRA_CA_CERTS';
const certificates = process.env[EXTRA_CERTIFICATES];

/** Runs a command as root in new namespaces; the mounts disappear with them. */
function runInRoot(root: string, command: readonly string[], { variables, workdir }: RunOptions): void {
  const mounts = `
    mount -t proc proc "$1/proc"
    mount --rbind /dev "$1/dev"
    cp -L /etc/resolv.conf "$1/etc/resolv.conf"
    mount -t tmpfs tmpfs "$1/run"
    ${certificates === undefined ? '' : `cp -L ${certificates} "$1/run/certificates.pem"`}
    root=$1; shift
    exec chroot "$root" /usr/bin/env -i -C ${workdir} "$@"`;
  const extra = certificates === undefined ? {} : { [EXTRA_CERTIFICATES]: '/run/certificates.pem' };
  const given = assignments({ ...variables, ...extra });
  const words = [...NAMESPACES, '/bin/sh', '-ec', mounts, 'sh', root, ...given, ...command];
  const { status } = spawnSync('unshare', words, { stdio: ['ignore', 'inherit', 'inherit'] });
  if (status !== 0) throw new Error(`"${command.at(-1)}" failed with ${status}.`);
}

const NAMESPACES = ['--mount', '--pid', '--fork', '--kill-child=KILL', '--'];
const assignments = (variables: Readonly<Record<string, string>>): string[] =>
  Object.entries(variables).map(([name, value]) => `${name}=${value}`);

/**
 * Starts a program of an image as compose.yaml does: as the image's user without capabilities, on a read-only root,
 * with the volumes and a temporary folder in memory. It uses the network of this machine.
 */
export function startReadOnly(
  root: string,
  start: ImageStart,
  command: readonly string[],
  volumes: string,
): ChildProcess {
  const [uid, gid] = start.user.split(':');
  const mounts = `
    mount --bind "$1" "$1"
    mount -t proc proc "$1/proc"
    mount -t tmpfs -o mode=1777 tmpfs "$1/tmp"
    mount -t tmpfs -o mode=755 tmpfs "$1/dev"
    for name in null zero full random urandom; do touch "$1/dev/$name"; mount --bind "/dev/$name" "$1/dev/$name"; done
    ln -s /proc/self/fd "$1/dev/fd"
    ${start.volumes.map((path) => `mount --bind "$2${path}" "$1${path}"`).join('\n')}
    mount -o remount,bind,ro "$1"
    root=$1; shift 2
    exec chroot "$root" /usr/bin/setpriv --reuid ${uid} --regid ${gid} --clear-groups --no-new-privs \\
      --bounding-set=-all --inh-caps=-all /usr/bin/env -i -C ${start.workdir} "$@"`;
  const words = ['/bin/sh', '-ec', mounts, 'sh', root, volumes, ...assignments(start.variables), ...command];
  return spawn('unshare', [...NAMESPACES, ...words], { stdio: ['ignore', 'pipe', 'pipe'] });
}

/** Id of the process that `unshare` started in its namespace: the one that `docker stop` would signal. */
export function innerProcess({ pid }: ChildProcess): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')[0]);
}
