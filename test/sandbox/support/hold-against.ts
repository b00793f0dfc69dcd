import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSandbox } from '../../../scripts/open-sandbox.ts';
import type { PythonRequest, PythonResult } from '../../../src/sandbox/sandbox.ts';
import type { Attack } from '../attacks/attack.ts';

const LANE = 'lane';
/** Time limits for attacks that must use all of it, that may, and that must not, on however slow a machine. */
const HANG_MS = 700;
const MAY_HANG_MS = 3_000;
const PATIENT_MS = 45_000;
const MAX_PARENT_GROWTH = 150_000_000;
const PYTHON_DEFAULTS = ['finished', 'exception', 'exit', 'memory', 'crash'] as const;

/** Runs attacks one after the other in the real sandbox, while the host is watched for any effect. */
export function holdAgainst(what: string, attacks: readonly Attack[]): void {
  describe(`the sandbox holds against ${what}:`, () => {
    const canary = `canary-${randomUUID()}`;
    let sandbox: Awaited<ReturnType<typeof openSandbox>>;
    let folder: string;
    let inputs: PythonRequest['inputs'];
    let connections = 0;
    const server = createServer((socket) => {
      connections += 1;
      socket.destroy();
    });

    beforeAll(async () => {
      process.env['CITEWELL_TEST_CANARY'] = canary;
      folder = await mkdtemp(join(tmpdir(), 'citewell-attacks-'));
      await writeFile(join(folder, 'canary'), canary);
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      const address = server.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      inputs = { port, canary_file: join(folder, 'canary'), host_pid: process.pid };
      sandbox = await openSandbox({ slots: 2 });
      await run('1');
    });
    afterAll(async () => {
      delete process.env['CITEWELL_TEST_CANARY'];
      await sandbox.close();
      server.close();
      await rm(folder, { recursive: true });
    });

    const { signal } = new AbortController();
    const run = (code: string, more: Partial<PythonRequest> = {}): Promise<PythonResult> =>
      sandbox.run({ code, inputs, files: [], session: LANE, milliseconds: PATIENT_MS, ...more }, signal);

    it.each(attacks)('$name', async ({ code, ends = PYTHON_DEFAULTS, shows, hides, isAlone }) => {
      const before = process.memoryUsage().rss;
      const isHang = ends.length === 1 && ends[0] === 'timeout';
      const mayHang = ends.includes('timeout') && shows === undefined;
      const milliseconds = isHang ? HANG_MS : mayHang ? MAY_HANG_MS : PATIENT_MS;
      const result = await run(code, { milliseconds });

      const said = JSON.stringify([result.value?.repr, result.stdout.text, result.stderr.text, result.error]);
      expect(ends, said.slice(0, 2_000)).toContain(result.end);
      const shown = [result.value?.repr, result.stdout.text, result.error?.type, result.error?.message].join('\n');
      if (shows !== undefined) expect(shown.trimStart()).toMatch(shows);
      if (hides !== undefined) expect(said).not.toMatch(hides);
      for (const secret of [canary, hostname(), process.cwd(), 'root:x:0']) {
        // The path of the canary file may appear; its content may not.
        expect(said.replaceAll(folder, '')).not.toContain(secret);
      }
      const { outputCharacters, outputBytes, outputFiles } = sandbox.limits;
      expect(result.stdout.text.length).toBeLessThanOrEqual(outputCharacters);
      expect(result.files.length).toBeLessThanOrEqual(outputFiles);
      expect(result.files.reduce((sum, { bytes }) => sum + bytes.byteLength, 0)).toBeLessThanOrEqual(outputBytes);
      for (const { name } of result.files) expect(name).not.toMatch(/\.\.|^\/|\\|\p{Cf}/u);
      expect(connections).toBe(0);
      expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
      expect(process.memoryUsage().rss - before).toBeLessThan(MAX_PARENT_GROWTH);

      const isGone = ['timeout', 'memory', 'crash'].includes(result.end);
      expect(result.sessionLost).toBe(isGone);
      const next = await run('6 * 7', { reset: isAlone === true && !isGone });
      expect(next.value?.repr, next.error?.traceback).toBe('42');
    });
  });
}
