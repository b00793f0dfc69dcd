import './build-first.js';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** Runs the official MCP conformance suite against both protocol generations. Fails if a required scenario fails. */
const REVISIONS = ['2026-07-28', '2025-11-25'];
const SUITE = join(
  createRequire(import.meta.url).resolve('@modelcontextprotocol/conformance/package.json'),
  '../dist/index.js',
);
const SERVER = fileURLToPath(new URL('../test/mcp/conformance/serve.ts', import.meta.url));

const server = spawn(process.execPath, [SERVER], { stdio: ['ignore', 'pipe', 'inherit'] });
const results = await mkdtemp(join(tmpdir(), 'citewell-conformance-results-'));
try {
  const [url] = (await Promise.race([
    once(createInterface({ input: server.stdout }), 'line'),
    once(server, 'exit').then(() => Promise.reject(new Error('The server did not start.'))),
  ])) as [string];
  for (const revision of REVISIONS) {
    console.log(`\n== ${revision}`);
    const suite = spawn(
      process.execPath,
      [SUITE, 'server', '--url', url, '--requirements', revision, '--output-dir', results, ...process.argv.slice(2)],
      { stdio: 'inherit' },
    );
    const [code] = (await once(suite, 'exit')) as [number | null];
    if (code !== 0) process.exitCode = 1;
  }
} finally {
  if (server.exitCode === null) {
    server.kill('SIGTERM');
    await once(server, 'exit');
  }
  await rm(results, { recursive: true, force: true });
}
