import './build-first.js';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { chatReply } from '../test/support/fake-openai.ts';
import type { Step } from '../test/support/fake-provider.ts';
import { type Totals, tally } from './kill-test/report.ts';
import { startCluster } from './load-test/cluster.ts';
import { killing, links, mcp, stopping, streams, type Trial, upload } from './proxy-test/checks.ts';
import { proxyKinds, startProxy, versionOf } from './proxy-test/proxies.ts';

const USAGE = `Runs what deploy/compose.cluster.yaml runs as processes: PostgreSQL, Chroma, two servers that take no tasks, a worker;
and before them Caddy, then nginx, each with its configuration of deploy/. A proxy that is not installed is left out.

  npm run -s proxy-test -- [--only caddy|nginx] [--report FILE]

  --only NAME    that proxy alone
  --report FILE  writes the counts as JSON`;

const options = {
  only: { type: 'string' },
  report: { type: 'string' },
  help: { type: 'boolean', default: false },
} as const;
/** Settings as in the compose file, whose proxy checks the health of the servers every two seconds. */
const SERVERS = { CITEWELL_WORK: 'off', CITEWELL_STOP_DELAY_SECONDS: '5', CITEWELL_TRUSTED_PROXIES: '127.0.0.1' };
const LOG_SHOWN = 2_000;
const ANSWER = 'The ferry to Tolmen sails at nine in the morning and comes back in the evening [1].';

async function main(): Promise<void> {
  const { values } = parseArgs({ options });
  if (values.help) return console.log(USAGE);
  const totals: Totals = { passed: 0, failed: 0 };
  const wanted = proxyKinds.filter((kind) => values.only === undefined || values.only === kind);
  const there = wanted.filter((kind) => versionOf(kind) !== undefined);
  for (const kind of wanted) if (!there.includes(kind)) console.log(`NOT RUN: ${kind} is not installed.`);
  if (there.length > 0) await run(there, totals);
  if (values.report !== undefined) {
    await writeFile(values.report, JSON.stringify({ numPassedTests: totals.passed, numFailedTests: totals.failed }));
  }
  console.log(`${totals.passed} checks passed, ${totals.failed} failed`);
  process.exitCode = totals.failed === 0 ? 0 : 1;
}

async function run(kinds: readonly (typeof proxyKinds)[number][], totals: Totals): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'citewell-proxy-'));
  const ports = [await freePort(), await freePort()] as const;
  // The model writes its first words and holds back the rest until the gate opens.
  let gate = Promise.withResolvers<void>();
  const answer = () => {
    const { steps, ...reply } = chatReply({ text: ANSWER });
    const held: Step[] = [...steps.slice(0, 6), { until: gate.promise }, ...steps.slice(6)];
    return { ...reply, steps: held };
  };
  const cluster = await startCluster({ ports, env: SERVERS, answer });
  try {
    const form = new FormData();
    form.set('raw_text', 'The ferry to Tolmen sails at nine in the morning and comes back in the evening.');
    form.set('run_with_orchestration', 'false');
    await fetch(`${cluster.nodes[0]?.running?.url}/v3/documents`, { method: 'POST', body: form });
    for (const kind of kinds) {
      console.log(`== ${versionOf(kind)}`);
      const proxy = await startProxy(kind, { folder: join(folder, kind), port: await freePort(), ports });
      try {
        const trial: Trial = {
          url: proxy.url,
          asksHealth: kind === 'caddy',
          cluster,
          continueAnswer: () => gate.resolve(),
        };
        for (const act of [streams, links, mcp, upload, stopping, killing]) {
          gate = Promise.withResolvers();
          const checks = await act(trial);
          for (const { title, violations } of checks) if (violations.length === 0) console.log(`  ok: ${title}`);
          const lines = tally(checks, totals);
          for (const line of lines) console.log(line);
          if (lines.length > 0) console.log(proxy.log().slice(-LOG_SHOWN));
        }
      } catch (error) {
        totals.failed++;
        console.log(`  FAILED: the test was interrupted\n    ${error instanceof Error ? error.stack : String(error)}`);
        console.log(proxy.log().slice(-LOG_SHOWN));
        for (const { running } of cluster.nodes) console.log(running?.stderr().slice(-LOG_SHOWN));
      } finally {
        gate.resolve();
        await proxy.close();
      }
    }
  } finally {
    await cluster.close();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}

await main();
