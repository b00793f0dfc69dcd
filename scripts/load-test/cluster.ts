import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { LEXICAL_EMBEDDING } from '../../src/embeddings/built-in-names.ts';
import { startEmbeddedChroma } from '../../test/support/embedded-chroma.ts';
import { chatReply, embeddingsFor, startFakeOpenAi } from '../../test/support/fake-openai.ts';
import { type ReceivedRequest, type Reply, slowly } from '../../test/support/fake-provider.ts';
import { databaseUrl, findPostgres, startPostgres, stopPostgres } from '../../test/support/postgres-server.ts';
import { type RunningServer, runCitewell, startCitewell } from '../../test/support/run-citewell.ts';

/** A server of the cluster and its data folder; `running` is undefined between its end and the next start. */
export interface ClusterNode {
  readonly cwd: string;
  readonly port: number;
  running: RunningServer | undefined;
}

export interface Cluster {
  readonly nodes: readonly ClusterNode[];
  start(node: ClusterNode): Promise<void>;
  /** Number of documents that the process with this id is working on, according to the database. */
  claimsOf(pid: number): Promise<number>;
  close(): Promise<void>;
}

/** Answers take about four seconds, which is longer than an idle server takes to stop. */
const WORD_MS = 20;
/** Generous, for loaded machines. */
const STARTS_WITHIN_MS = 180_000;
const ANSWER = Array.from({ length: 200 }, (_, index) => `word${index}`).join(' ');

export interface ClusterOptions {
  /** Port of each server; 0 means a free port at each start. Three servers by default. */
  readonly ports?: readonly number[];
  /** Additional settings of the servers. */
  readonly env?: Readonly<Record<string, string>>;
  /** Replies of the language model. */
  readonly answer?: (request: ReceivedRequest) => Reply;
}

/** Starts servers and a worker on one PostgreSQL and one Chroma, each in its own process. */
export async function startCluster({
  ports = [0, 0, 0],
  env: more = {},
  answer = () => slowly(WORD_MS, chatReply({ text: ANSWER })),
}: ClusterOptions = {}): Promise<Cluster> {
  const bin = findPostgres();
  if (bin === undefined) throw new Error('PostgreSQL is not installed.');
  const folder = await mkdtemp(join(tmpdir(), 'citewell-load-'));
  const postgres = join(folder, 'postgres');
  await mkdir(postgres);
  const closers: (() => Promise<unknown>)[] = [() => rm(folder, { recursive: true, force: true, maxRetries: 5 })];
  try {
    // PostgreSQL may run as another user, who needs access to the folder.
    const { chmod } = await import('node:fs/promises');
    await chmod(folder, 0o755);
    closers.push(() => stopPostgres(postgres));
    await startPostgres({ bin, folder: postgres, runner: process.pid }, async () => {});
    const chroma = await startEmbeddedChroma();
    closers.push(() => chroma.close());
    if (chroma.server.kind !== 'running') throw new Error('Chroma did not start.');
    const url = databaseUrl(postgres, 'postgres');
    const database = new Client({ connectionString: url });
    await database.connect();
    closers.push(() => database.end());
    const provider = await startFakeOpenAi();
    closers.push(() => provider.close());
    provider.otherwise((request) => (request.path.endsWith('/embeddings') ? embeddingsFor(request) : answer(request)));
    const env = {
      CITEWELL_DATABASE_URL: url,
      CHROMA_URL: chroma.server.url,
      CITEWELL_RESUME_SECONDS: '60',
      OPENAI_API_KEY: 'sk-test',
      OPENAI_BASE_URL: provider.baseUrl,
      CITEWELL_EMBEDDING_MODEL: LEXICAL_EMBEDDING,
    };
    const start = async (node: ClusterNode) => {
      node.running = await startCitewell({
        cwd: node.cwd,
        env: { ...env, ...more },
        port: node.port,
        startWithinMs: STARTS_WITHIN_MS,
      });
    };
    const nodes: ClusterNode[] = [];
    for (const [index, port] of ports.entries()) {
      const node: ClusterNode = { cwd: join(folder, `server-${index + 1}`), port, running: undefined };
      await mkdir(node.cwd);
      nodes.push(node);
      await start(node);
      closers.push(async () => node.running?.kill());
    }
    const cwd = join(folder, 'worker');
    await mkdir(cwd);
    const { promise: started, resolve } = Promise.withResolvers<ChildProcess>();
    const worked = runCitewell(['worker'], { cwd, env, onStart: resolve });
    const worker = await started;
    closers.push(async () => {
      worker.kill('SIGKILL');
      await worked;
    });
    if (worker.stdout !== null) await once(worker.stdout, 'data');
    return {
      nodes,
      start,
      async claimsOf(pid) {
        const { rows } = await database.query(
          `select count(*)::int as count from cluster_claims c join cluster_servers s on s.key = c.server_key
           where s.name like '%:' || $1::text`,
          [pid],
        );
        return rows[0].count;
      },
      close: () => closeAll(closers),
    };
  } catch (error) {
    await closeAll(closers);
    throw error;
  }
}

async function closeAll(closers: (() => Promise<unknown>)[]): Promise<void> {
  for (const close of closers.reverse()) await close();
}
