import { writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type Check, type Totals, tally } from './kill-test/report.ts';
import { isFound, type Ledger, running, search, send, stream, upload } from './load-test/clients.ts';
import { type Cluster, type ClusterNode, startCluster } from './load-test/cluster.ts';
import { type Random, seededRandom } from './seeded-random.ts';

const USAGE = `Loads three servers and a worker on one PostgreSQL and one Chroma, and kills servers meanwhile.

  npm run -s load-test -- [options]

  --seconds N    default 45
  --seed N       repeats another run, as far as timing allows; default: a new seed
  --report FILE  writes the counts as JSON

Clients upload, search and let agents answer on servers chosen at random. Every few seconds one is killed (SIGKILL) and
started again; half-way all are restarted in turn (SIGTERM). What was acknowledged must be found on every server at
once and at the end, streams must continue elsewhere without gaps or repeats, and tasks must be taken over promptly.`;

const options = {
  seconds: { type: 'string', default: '45' },
  seed: { type: 'string' },
  report: { type: 'string' },
  help: { type: 'boolean', default: false },
} as const;

const TAKEN_OVER_WITHIN_MS = 6_000;
const KILL_EVERY_MS = 5_000;
const SETTLED_WITHIN_MS = 120_000;

async function main(): Promise<void> {
  const { values } = parseArgs({ options });
  const seconds = Number(values.seconds);
  const seed = values.seed === undefined ? Math.floor(Math.random() * 2 ** 32) : Number(values.seed);
  if (values.help || !Number.isInteger(seconds) || seconds < 1 || !Number.isInteger(seed)) {
    console.log(USAGE);
    process.exitCode = values.help ? 0 : 2;
    return;
  }
  console.log(`seed ${seed}, ${seconds} s`);
  const totals: Totals = { passed: 0, failed: 0 };
  try {
    for (const line of tally(await run(seconds, seededRandom(seed)), totals)) console.log(line);
  } catch (error) {
    totals.failed++;
    console.log(`  FAILED: the test was interrupted\n    ${error instanceof Error ? error.stack : String(error)}`);
  }
  if (values.report !== undefined) {
    await writeFile(values.report, JSON.stringify({ numPassedTests: totals.passed, numFailedTests: totals.failed }));
  }
  console.log(`seed ${seed}: ${totals.passed} checks passed, ${totals.failed} failed`);
  process.exitCode = totals.failed === 0 ? 0 : 1;
}

async function run(seconds: number, random: Random): Promise<Check[]> {
  const cluster = await startCluster();
  const { nodes } = cluster;
  const ledger: Ledger = {
    documents: [],
    lost: [],
    wrong: [],
    streams: [],
    searches: 0,
    unanswered: 0,
    resumed: 0,
    ended: 0,
  };
  try {
    const over = new AbortController();
    const clients = [upload, upload, search, search, stream, stream].map(async (act) => {
      const own = random.fork();
      while (!over.signal.aborted) {
        await act(nodes, ledger, own);
        await sleep(own.integer(20, 200));
      }
    });
    const ended = Promise.all(clients);
    ended.catch(() => {});
    const late: string[] = [];
    const exits: string[] = [];
    try {
      await killFor((seconds * 1000) / 2, { cluster, random, late });
      for (const node of nodes) await restart(node, { cluster, exits });
      await killFor((seconds * 1000) / 2, { cluster, random, late });
    } finally {
      over.abort();
      await ended;
    }
    await settle(nodes, ledger);
    const { documents, searches, resumed, ended: cut, unanswered } = ledger;
    console.log(
      `${documents.length} documents acknowledged, ${searches} searches, ${resumed} streams resumed, ${cut} of them of servers that ended, ${unanswered} requests unanswered`,
    );
    const none = documents.length === 0 || searches === 0 || resumed === cut;
    return [
      { title: 'the clients get something done', violations: none ? ['One of these numbers is 0.'] : [] },
      { title: 'no acknowledged document is lost', violations: ledger.lost },
      { title: 'searches find what was acknowledged, on every server', violations: ledger.wrong },
      { title: 'streams continue on other servers without gaps or repeats', violations: ledger.streams },
      { title: `the tasks of a killed server are taken over within ${TAKEN_OVER_WITHIN_MS} ms`, violations: late },
      { title: 'servers that are asked to stop end with exit code 0', violations: exits },
    ];
  } finally {
    await cluster.close();
  }
}

interface Killing {
  readonly cluster: Cluster;
  readonly random: Random;
  readonly late: string[];
}

async function killFor(milliseconds: number, { cluster, random, late }: Killing): Promise<void> {
  const until = performance.now() + milliseconds;
  while (performance.now() < until) {
    await sleep(Math.min(KILL_EVERY_MS, Math.max(0, until - performance.now())));
    const node = cluster.nodes[random.integer(0, cluster.nodes.length - 1)];
    const server = node?.running;
    if (node === undefined || server === undefined) continue;
    node.running = undefined;
    await server.kill();
    const killedAt = performance.now();
    const claims = await cluster.claimsOf(server.pid);
    while ((await cluster.claimsOf(server.pid)) > 0 && performance.now() - killedAt < 10 * TAKEN_OVER_WITHIN_MS) {
      await sleep(50);
    }
    const taken = Math.round(performance.now() - killedAt);
    console.log(`killed a server that worked on ${claims} documents; taken over after ${taken} ms`);
    if (taken > TAKEN_OVER_WITHIN_MS) late.push(`${claims} tasks were taken over after ${taken} ms`);
    await cluster.start(node);
  }
}

async function restart(
  node: ClusterNode,
  { cluster, exits }: { readonly cluster: Cluster; readonly exits: string[] },
): Promise<void> {
  const server = node.running;
  if (server === undefined) return;
  node.running = undefined;
  const { code, milliseconds } = await server.end('SIGTERM');
  console.log(`stopped a server in ${Math.round(milliseconds)} ms with exit code ${code}`);
  if (code !== 0) exits.push(`exit code 0 was expected, and it ended with ${code}: ${server.stderr().slice(-500)}`);
  await cluster.start(node);
}

/** Waits until queued documents are ingested, then searches for every document on every server. */
async function settle(nodes: readonly ClusterNode[], ledger: Ledger): Promise<void> {
  const until = performance.now() + SETTLED_WITHIN_MS;
  const servers = running(nodes);
  for (const document of ledger.documents) {
    let status = 'unknown';
    while (status !== 'success' && status !== 'failed' && performance.now() < until) {
      const response = servers[0] && (await send(servers[0], `/documents/${document.id}`));
      const text = (await response?.text()) ?? '';
      if (response?.status === 404) break;
      status = response?.status === 200 ? String(JSON.parse(text).results.ingestion_status) : status;
      if (status !== 'success') await sleep(200);
    }
    if (status !== 'success') {
      ledger.lost.push(`document ${document.id} should be ingested and is: ${status}`);
      continue;
    }
    for (const server of servers) {
      const found = await isFound(server, document);
      if (found !== true) ledger.lost.push(`at the end ${found ?? `no answer about ${document.id}`}`);
    }
  }
}

await main();
