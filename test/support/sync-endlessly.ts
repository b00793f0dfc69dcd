import { memoryVectorIndex } from '../../src/store/memory/memory-vector-index.ts';
import { openPostgresStore } from '../../src/store/postgres/open-postgres-store.ts';
import { openStore } from '../../src/store/sql/open-store.ts';
import { followOver, sourceOfFiles } from './remote-source.ts';

// A child process for tests that kill it: follows a source with many files, and prints each recorded one.
const [, , path = '', count = '0'] = process.argv;
const index = memoryVectorIndex();
const options = { index, embeddingText: ({ text }: { readonly text: string }) => text, readers: 2 };
const store = path.startsWith('postgresql:')
  ? await openPostgresStore({ url: path, ...options })
  : await openStore({ path, ...options });
const { steps } = await followOver({ ...store, index });
const names = Array.from({ length: Number(count) }, (_, number) => [`${number}.md`, `Text ${number}.`]);
const files = sourceOfFiles(Object.fromEntries(names));
for await (const { name } of steps(files, { signal: AbortSignal.timeout(300_000) })) console.log(name);
