import { execFile } from 'node:child_process';
import { chmod, chown, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openSandbox as openOurs } from '../../scripts/open-sandbox.ts';
import { openSandbox } from '../../src/adapters/open-sandbox.ts';
import { defaultSandboxLimits } from '../../src/sandbox/default-limits.ts';
import { findOuterLayers, slotCommand } from '../../src/sandbox/outer-layers.ts';
import { findRuntime } from '../../src/sandbox/runtime.ts';
import {
  bubblewrapPath,
  findProgram,
  type SandboxSettings,
  sandboxAbsence,
} from '../../src/sandbox/sandbox-settings.ts';
import { PATIENT } from '../support/patience.ts';
import { makeZip } from './support/make-zip.ts';

const { signal } = new AbortController();
const path = process.env['PATH'] ?? '';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'citewell-layers-'));
});
afterEach(() => rm(folder, { recursive: true }));

const plan = {
  script: '/app/slot/slot-process.js',
  readable: ['/app/slot/', '/cache/snapshot.bin'],
  pythonMegabytes: 256,
  processMegabytes: 600,
};

describe('the command line of a slot', () => {
  it('allows Node nothing but to read its own files and to load the isolate', () => {
    const layers = { bubblewrap: { absent: '' }, kernelLimits: false };
    const { program, args } = slotCommand({ ...plan, layers });
    expect(program).toBe(process.execPath);
    expect(args).toEqual([
      '--no-node-snapshot',
      '--no-warnings',
      '--wasm-max-mem-pages=4096',
      '--max-old-space-size=128',
      '--permission',
      '--allow-addons',
      '--allow-fs-read=/app/slot/*',
      '--allow-fs-read=/cache/snapshot.bin',
      '/app/slot/slot-process.js',
    ]);
  });

  it('sets kernel limits in a shell that is replaced by exec', () => {
    const { program, args } = slotCommand({ ...plan, layers: { bubblewrap: { absent: '' }, kernelLimits: true } });
    expect([program, args[0], args[2]]).toEqual(['/bin/sh', '-c', process.execPath]);
    expect(args[1]).toBe(
      'ulimit -c 0 2>/dev/null; ulimit -f 0 2>/dev/null; ulimit -n 64 2>/dev/null; ulimit -s 32768 2>/dev/null; ulimit -d 1994752 2>/dev/null; exec "$0" "$@"',
    );
  });

  it('wraps both in bubblewrap, with only the needed files', () => {
    const layers = { bubblewrap: { program: '/usr/bin/bwrap' }, kernelLimits: true };
    const { program, args } = slotCommand({ ...plan, layers });
    expect(program).toBe('/usr/bin/bwrap');
    expect(args).toEqual(expect.arrayContaining(['--unshare-all', '--die-with-parent', '--clearenv', '--cap-drop']));
    const bound = args.flatMap((word, index) => (word.startsWith('--ro-bind') ? [args[index + 1]] : []));
    expect(bound).toEqual(expect.arrayContaining([process.execPath, '/bin/sh', ...plan.readable]));
    expect(bound).not.toEqual(expect.arrayContaining(['/']));
    expect(args.filter((word) => word === '--bind' || word === '--share-net')).toEqual([]);
  });
});

describe('without bubblewrap', () => {
  it('starts the slot with the tools that take its rights', () => {
    const rights = { prefix: ['/usr/bin/setpriv', '--no-new-privs'], holds: [] };
    const { program, args } = slotCommand({
      ...plan,
      layers: { bubblewrap: { absent: '' }, kernelLimits: true, rights },
    });
    expect([program, ...args.slice(0, 3)]).toEqual(['/usr/bin/setpriv', '--no-new-privs', '/bin/sh', '-c']);
  });

  it('has no rights to take where there are no such tools', async () => {
    expect((await findOuterLayers(folder)).rights).toEqual({ prefix: [], holds: expect.any(Array) });
  });

  it.runIf(process.platform === 'linux')('the slot does without the rights that were found to be missing', async () => {
    for (const name of ['setpriv', 'unshare']) {
      const file = findProgram(name, path);
      if (file !== undefined) await symlink(file, join(folder, name));
    }
    const { rights } = await findOuterLayers(folder);
    // As a service of root may find them.
    const others = join(folder, 'others');
    await mkdir(others, { mode: 0o700 });
    await writeFile(join(others, 'answer-1.0-py3-none-any.whl'), makeZip({ 'answer.py': 'VALUE = 42' }));
    if (process.getuid?.() === 0) await chown(others, 65_533, 65_533);
    const sandbox = await openOurs({}, others, folder);
    try {
      const result = await sandbox.run(
        { code: 'import answer\nanswer.VALUE', inputs: {}, files: [], session: 'a' },
        signal,
      );
      expect(result.value?.repr).toBe('42');
      const { stdout } = await promisify(execFile)('ps', ['-o', 'pid=,args=', '--ppid', String(process.pid)]);
      const slots = stdout.split('\n').filter((line) => line.includes('slot-process'));
      expect(slots.length).toBeGreaterThan(0);
      for (const line of slots) {
        const pid = Number.parseInt(line, 10);
        // The spare slot may still be starting.
        await vi.waitFor(async () => {
          const status = await readFile(`/proc/${pid}/status`, 'utf8');
          const holds = [
            ...((await readFile(`/proc/${pid}/net/dev`, 'utf8')).trim().split('\n').length > 3 ? [] : ['no network']),
            ...(/^NoNewPrivs:\s+1/m.test(status) ? ['no new privileges'] : []),
            ...(/^CapEff:\s+0*$/m.test(status) && /^CapPrm:\s+0*$/m.test(status) ? ['no capabilities'] : []),
            ...(/^Uid:\s+0\b/m.test(status) ? [] : ['not root']),
          ];
          expect(holds).toEqual(rights?.holds);
        }, PATIENT);
      }
    } finally {
      await sandbox.close();
    }
  });
});

describe('bubblewrap', () => {
  it('counts as missing when it is installed but does not work', async () => {
    await writeFile(join(folder, 'bwrap'), '#!/bin/sh\necho "No permissions to create new namespace" >&2\nexit 1\n');
    await chmod(join(folder, 'bwrap'), 0o755);
    const { bubblewrap } = await findOuterLayers(folder);
    const isLinux = process.platform === 'linux';
    expect(bubblewrap).toEqual({
      absent: expect.stringContaining(isLinux ? 'No permissions to create new namespace' : 'Linux only'),
    });
  });

  it.runIf(bubblewrapPath(path) !== undefined)('does not change the behaviour of the slot', async () => {
    const sandbox = await openOurs({}, undefined, path);
    try {
      const result = await sandbox.run({ code: '6 * 7', inputs: {}, files: [] }, signal);
      expect(result.value?.repr).toBe('42');
    } finally {
      await sandbox.close();
    }
  });
});

describe('where Python cannot run', () => {
  const settings: SandboxSettings = { mode: 'auto', limits: defaultSandboxLimits, searchPath: '/nowhere' };

  it('the reason is reported, and there is no sandbox', () => {
    expect(sandboxAbsence(settings)).toBeUndefined();
    expect(sandboxAbsence({ ...settings, mode: 'off' })).toContain('CITEWELL_SANDBOX=off');
    expect(sandboxAbsence({ ...settings, mode: 'strict' })).toContain('strict asks for bubblewrap');
    expect(openSandbox({ ...settings, mode: 'off' }, folder, () => undefined)).toBeUndefined();
    expect(openSandbox({ ...settings, mode: 'strict' }, folder, () => undefined)).toBeUndefined();
  });

  it.runIf(process.platform === 'linux')('strict mode refuses to run without a working bubblewrap', async () => {
    await writeFile(join(folder, 'bwrap'), '#!/bin/sh\nexit 1\n');
    await chmod(join(folder, 'bwrap'), 0o755);
    const sandbox = openSandbox({ ...settings, mode: 'strict', searchPath: folder }, folder, () => undefined);
    const running = sandbox?.run({ code: '1', inputs: {}, files: [] }, signal);
    await expect(running).rejects.toMatchObject({ code: 'not_configured', message: expect.stringContaining('strict') });
    await sandbox?.close();
  });

  it('isolated-vm that is missing, unsafe or not built for this machine is named', async () => {
    const without = (packages: Readonly<Record<string, object>>) => {
      const require = (() => undefined) as unknown as NodeJS.Require;
      require.resolve = Object.assign(
        (name: string) => {
          if (packages[name] === undefined) throw new Error('not found');
          return packages[name] as unknown as string;
        },
        { paths: () => null },
      );
      return findRuntime(require);
    };
    expect(without({})).toMatchObject({
      found: false,
      reason: expect.stringContaining('isolated-vm is not installed'),
    });
    const old = join(folder, 'package.json');
    await writeFile(old, '{"version": "6.1.2"}');
    const found = without({ 'isolated-vm/package.json': old as unknown as object });
    expect(found).toMatchObject({ found: false, reason: expect.stringContaining('GHSA-864f-rcv7-6rh4') });
  });
});
