import './build-first.js';
import { mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { startCitewell } from '../test/support/run-citewell.ts';
import { checkDocuments } from './measure-sources/check-documents.ts';
import { type MeasuredKind, type MeasuredSource, measuredKinds, startSource } from './measure-sources/sources.ts';
import { measureWithoutDocuments } from './measure-sources/without-documents.ts';
import { usageOf } from './process-usage.ts';

const USAGE = `Follows a source of many small items on a local server: the first synchronisation, killed after a third and continued by
another process, one of what did not change, and one of a change. Prints times, memory and requests, and whether every
item has exactly one document that a search finds. Linux only.

  node scripts/measure-sources.ts [--kinds LIST] [--items N] [--changed N] [--removed N] [--without-documents]

  --kinds LIST  of ${measuredKinds.join(', ')}; default all
  --items N     default 10000
  --changed N   default 10
  --removed N   default 10
  --without-documents  only lists, reads and records, in this process, without folders and sites; the first
                synchronisation ends early instead. The only way for notion and gdrive, whose servers have fixed addresses

Settings of the environment that begin with CITEWELL_ are passed on to the server. Megabytes are of 10⁶ bytes, and of all
processes of the service.`;

const POLL_MS = 2_000;
const MEGABYTE = 1_000_000;

const { values } = parseArgs({
  options: {
    kinds: { type: 'string', default: measuredKinds.join(',') },
    items: { type: 'string', default: '10000' },
    changed: { type: 'string', default: '10' },
    removed: { type: 'string', default: '10' },
    'without-documents': { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

interface Report {
  readonly id: string;
  readonly state: string;
  readonly problem: string | null;
  readonly last_sync: { readonly counts: Readonly<Record<string, number>> } | null;
}

async function main(): Promise<void> {
  if (values.help) return console.log(USAGE);
  const kinds = values.kinds.split(',').filter((kind): kind is MeasuredKind => measuredKinds.includes(kind as never));
  const isBare = values['without-documents'];
  const columns = ['source', 'synchronisation', 'outcomes', 'seconds', 'processor seconds', 'MB at most', 'requests'];
  const all = [...columns, ...(isBare ? ['read'] : []), 'load'];
  console.log(`| ${all.join(' | ')} |`);
  console.log(`|${'---|'.repeat(all.length)}`);
  for (const kind of kinds) {
    if (isBare && (kind === 'folder' || kind === 'site')) continue;
    const [items, changed, removed] = [Number(values.items), Number(values.changed), Number(values.removed)];
    const source = await startSource[kind](items);
    const cwd = await mkdtemp(join(tmpdir(), 'citewell-sources-'));
    try {
      if (isBare) await measureWithoutDocuments(kind, { source, cwd, items, changed, removed });
      else if (source.network !== undefined) console.log(`${kind}: only with --without-documents`);
      else await measure({ kind, source, cwd, items, changed, removed });
    } finally {
      await source.close();
      await rm(cwd, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
    }
  }
}

interface Measured {
  readonly kind: MeasuredKind;
  readonly source: MeasuredSource;
  readonly cwd: string;
  readonly items: number;
  readonly changed: number;
  readonly removed: number;
}

async function measure({ kind, source, cwd, items, changed, removed }: Measured): Promise<void> {
  const passed = Object.entries(process.env).filter(([name]) => name.startsWith('CITEWELL_'));
  const env = { ...(Object.fromEntries(passed) as Record<string, string>), ...source.env };
  const start = () => startCitewell({ cwd, env, startWithinMs: 300_000 });
  let server = await start();
  const call = async <T>(method: string, path: string, body?: object): Promise<T> => {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`${server.url}/v3${path}`, {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as T;
  };
  const reportOf = async (id: string) => (await call<{ results: Report }>('GET', `/sources/${id}`)).results;
  const row = (...cells: readonly unknown[]) =>
    console.log(`| ${kind} | ${cells.join(' | ')} | ${loadavg()[0]?.toFixed(1)} |`);

  /** Watches a synchronisation until it ends or `max` items are done, and prints its figures. */
  async function watch(name: string, id: string, max = Number.POSITIVE_INFINITY): Promise<void> {
    const startedAt = performance.now();
    const requests = source.requests();
    const before = await usageOf(server.pid);
    let bytes = before.bytes;
    let report = await reportOf(id);
    for (; report.state === 'syncing' && done(report) < max; report = await reportOf(id)) {
      bytes = Math.max(bytes, (await usageOf(server.pid)).bytes);
      await sleep(POLL_MS);
    }
    const seconds = (performance.now() - startedAt) / 1000;
    const { seconds: processor } = await usageOf(server.pid);
    const asked = requests === undefined ? '' : Number(source.requests()) - requests;
    const used = (processor - before.seconds).toFixed(1);
    row(name, outcomes(report), seconds.toFixed(1), used, Math.round(bytes / MEGABYTE), asked);
  }

  async function check(expected: { readonly changed: number; readonly removed: number }): Promise<void> {
    const problems = await checkDocuments(call, { items, ...expected });
    for (const problem of problems) console.log(`${kind}: ${problem}`);
    if (problems.length > 0) process.exitCode = 1;
  }

  try {
    const { settings, credentials, address } = source;
    const remote = { address, ...(settings && { settings }), credentials, every_minutes: null };
    const site = { url: address, sitemap: true, max_pages: items };
    const place = kind === 'folder' ? { path: address } : kind === 'site' ? site : remote;
    const { id } = (await call<{ results: Report }>('POST', '/sources', { kind, ...place })).results;
    await watch('first, until it is killed', id, items / 3);
    await server.kill();
    server = await start();
    await watch('continued', id);
    await check({ changed: 0, removed: 0 });
    const sync = async (name: string) => {
      await call('POST', `/sources/${id}/sync`);
      await watch(name, id);
    };
    await sync('nothing changed');
    await source.change(changed, removed);
    await sync(`${changed} changed, ${removed} removed`);
    await check({ changed, removed: source.keepsRemoved === true ? 0 : removed });
  } finally {
    await server.kill();
  }
}

const done = ({ last_sync: sync }: Report): number =>
  Object.values(sync?.counts ?? {}).reduce((sum, each) => sum + each, 0);

const outcomes = ({ last_sync: sync, problem }: Report): string =>
  problem ??
  Object.entries(sync?.counts ?? {})
    .map(([outcome, number]) => `${number} ${outcome}`)
    .join(', ');

await main();
