import './build-first.js';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { embeddingText } from '../src/ingest/embedding-text.ts';
import { memoryVectorIndex } from '../src/store/memory/memory-vector-index.ts';
import { openStore } from '../src/store/sql/open-store.ts';
import {
  brokenVariants,
  isSurvived,
  isWhole,
  playCalls,
  startWireProviders,
  type ToolCallRow,
  wireCalls,
} from '../test/support/play-tool-calls.ts';

// Replays a file of tool calls (one JSON object per line: id, messages, tools, calls) through the agent, in every wire
// format with the real clients, and counts how many reach their tools unchanged.
//   npm exec -- node scripts/replay-tool-calls.ts calls.jsonl [most rows]

const [path, most = 'all'] = process.argv.slice(2);
if (path === undefined || !existsSync(path)) {
  console.log(
    path === undefined ? 'Give the file of tool calls to play.' : `There is no file ${path}; nothing was played.`,
  );
  process.exit(path === undefined ? 2 : 0);
}
const rows = readFileSync(path, 'utf8')
  .split('\n')
  .filter((line) => line.trim() !== '')
  .slice(0, most === 'all' ? undefined : Number(most))
  .map((line) => JSON.parse(line) as ToolCallRow);

const folder = await mkdtemp(join(tmpdir(), 'citewell-replay-'));
const index = memoryVectorIndex();
const store = { ...(await openStore({ path: join(folder, 'citewell.db'), index, embeddingText, readers: 1 })), index };
const providers = await startWireProviders();
let isComplete = true;
try {
  console.log(`${rows.length} rows, ${rows.reduce((count, { calls }) => count + calls.length, 0)} calls`);
  for (const provider of providers) {
    const counts = { whole: 0, broken: 0, survived: 0 };
    const lost: string[] = [];
    for (const row of rows) {
      if (isWhole(row, await playCalls(store, provider, row, wireCalls(row)))) counts.whole++;
      else lost.push(row.id);
      for (const { code, call, why } of brokenVariants(row)) {
        counts.broken++;
        if (isSurvived(code, await playCalls(store, provider, row, [call]))) counts.survived++;
        else lost.push(`${row.id} (${why})`);
      }
    }
    isComplete &&= lost.length === 0;
    console.log(
      `${provider.name.padEnd(24)} rows whole ${counts.whole} of ${rows.length}, broken calls survived ${counts.survived} of ${counts.broken}`,
    );
    for (const id of lost.slice(0, 20)) console.log(`  lost: ${id}`);
  }
} finally {
  await Promise.all(providers.map(({ server }) => server.close()));
  await store.close();
  await rm(folder, { recursive: true, force: true });
}
process.exitCode = isComplete ? 0 : 1;
