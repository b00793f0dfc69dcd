import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { validate } from 'dockerfile-utils';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { readDockerfile, type Step } from '../../scripts/container-test/read-dockerfile.ts';
import { variableNames } from '../../src/config/variables.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const read = (name: string) => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8');
const stages = readDockerfile(read('deploy/Dockerfile'));
const image = stages.at(-1)?.steps ?? [];
const stepsOf = <Kind extends Step['kind']>(steps: readonly Step[], kind: Kind) =>
  steps.filter((step): step is Extract<Step, { kind: Kind }> => step.kind === kind);

interface Service {
  readonly ports: readonly string[];
  readonly volumes: readonly string[];
  readonly user: string;
  readonly build: { readonly dockerfile: string };
}
const compose = parse(read('deploy/compose.yaml'), { strict: true }) as {
  readonly services: { readonly citewell: Service };
  readonly volumes: Readonly<Record<string, unknown>>;
};
const service = compose.services.citewell;
interface ClusterService {
  readonly environment?: Readonly<Record<string, string>>;
  readonly command?: readonly string[];
  readonly ports?: readonly string[];
  readonly user?: string;
}
const cluster = parse(read('deploy/compose.cluster.yaml'), { strict: true, merge: true }) as {
  readonly services: Readonly<Record<string, ClusterService>>;
  readonly configs: { readonly caddyfile: { readonly content: string } };
};

describe('the containers of several servers', () => {
  it('are servers that leave tasks to a worker, of which only the proxy can be reached, from this machine', () => {
    const { one, two, worker, proxy } = cluster.services;
    expect([one?.environment?.['CITEWELL_WORK'], two?.environment?.['CITEWELL_WORK']]).toEqual(['off', 'off']);
    expect(worker?.command).toEqual(['worker']);
    expect([one, two, worker].map((each) => each?.user)).toEqual([service.user, service.user, service.user]);
    const reached = Object.values(cluster.services).filter(({ ports }) => ports !== undefined);
    expect(reached).toEqual([proxy]);
    expect(proxy?.ports).toEqual(service.ports);
    const names = [one, two, worker].flatMap((each) => Object.keys(each?.environment ?? {}));
    expect(names.filter((name) => !variableNames.includes(name))).toEqual([]);
  });

  // Both are tried with real servers by `npm run proxy-test`.
  it.each([
    ['Caddy', cluster.configs.caddyfile.content],
    ['nginx', read('deploy/nginx.conf')],
  ])('have a configuration for %s that names both servers, and sends sessions of MCP to one', (_, text) => {
    for (const name of ['one', 'two']) expect(text).toContain(`${name}:7272`);
    const modern = new RegExp(/\^20\(2\[6-9\]\S*\)/.exec(text)?.[0] ?? '');
    expect(['2026-07-28', '2027-01-01', '2030-01-01'].map((revision) => modern.test(revision))).toEqual([
      true,
      true,
      true,
    ]);
    expect(['', '2025-11-25', '2025-06-18', '2024-11-05'].map((revision) => modern.test(revision))).not.toContain(true);
  });
});

describe('the container', () => {
  it('has a Dockerfile that a builder accepts, of fixed images, with exact installations', () => {
    expect(validate(read('deploy/Dockerfile'))).toEqual([]);
    for (const stage of stages) expect(stage.image).toMatch(/^node:24-trixie-slim$/);
    const commands = stages.flatMap(({ steps }) => stepsOf(steps, 'run').map(({ command }) => command));
    for (const command of commands) expect(command).not.toMatch(/npm (install|i) |curl|sudo|apt-get upgrade/);
  });

  it('runs without root and asks its own health', () => {
    expect(stepsOf(image, 'user').map(({ user }) => user)).toEqual([service.user]);
    expect(image.findIndex(({ kind }) => kind === 'user')).toBeGreaterThan(
      image.findLastIndex(({ kind }) => kind === 'run'),
    );
    expect(service.user).toMatch(/^[1-9]\d*:[1-9]\d*$/);
    expect(stepsOf(image, 'healthcheck')).toEqual([
      { kind: 'healthcheck', words: ['node', '--eval', expect.stringContaining('/v3/health')] },
    ]);
  });

  it('sends its builder what the Dockerfile copies, and nothing else', () => {
    const [all, ...taken] = read('deploy/Dockerfile.dockerignore').trim().split('\n');
    expect(all).toBe('*');
    const copied = stages.flatMap(({ steps }) =>
      stepsOf(steps, 'copy').flatMap((step) => (step.from === undefined ? step.sources : [])),
    );
    expect(taken.map((line) => line.replace(/^!/, '')).sort()).toEqual([...new Set(copied)].sort());
    const there = readdirSync(new URL('../..', import.meta.url));
    expect(copied.filter((name) => !there.includes(name))).toEqual([]);
  });

  it('sets only variables that exist', () => {
    const names = stepsOf(image, 'env').flatMap(({ variables }) => Object.keys(variables));
    const foreign = names.filter((name) => !variableNames.includes(name));
    expect(names).toContain('CITEWELL_AUTH');
    expect(foreign).toEqual(['NODE_ENV', 'XDG_CACHE_HOME', 'NPM_CONFIG_CACHE']);
  });

  it('is what the compose file starts: its port, on this machine only, and its volumes', () => {
    const [port = ''] = stepsOf(image, 'expose').map((step) => step.port);
    expect(service.ports).toEqual([`127.0.0.1:${port}:${port}`]);
    const mounted = service.volumes.map((volume) => volume.split(':'));
    expect(mounted.map(([, path]) => path)).toEqual(stepsOf(image, 'volume').flatMap(({ paths }) => paths));
    expect(mounted.map(([name]) => name)).toEqual(Object.keys(compose.volumes));
    expect(read(service.build.dockerfile)).not.toBe('');
    expect(service).toMatchObject({ read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] });
  });
});

describe('the systemd unit', () => {
  it.skipIf(spawnSync('systemd-analyze', ['--version']).error !== undefined)(
    'is accepted by systemd, which counts it as well protected',
    async () => {
      const file = join(await temporaryFolder(), 'citewell.service');
      const unit = read('deploy/citewell.service');
      // The program has to exist.
      writeFileSync(file, unit.replace('ExecStart=/usr/local/bin/citewell', 'ExecStart=/bin/true'));
      expect(unit).toContain('ExecStart=/usr/local/bin/citewell serve');
      const analyze = (...words: string[]) => spawnSync('systemd-analyze', [...words, file], { encoding: 'utf8' });
      expect(analyze('verify')).toMatchObject({ status: 0, stderr: '' });
      // From 0 (nothing) to 10 (everything) of what a service could do.
      expect(analyze('security', '--offline=true', '--threshold=45')).toMatchObject({ status: 0 });
    },
  );
});
