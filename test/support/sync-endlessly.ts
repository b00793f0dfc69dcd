import { memoryVectorIndex } from '../../src/store/memory/memory-vector-index.ts';
import { openStore } from '../../src/store/sql/open-store.ts';
import { followOver, sourceOfFiles } from './remote-source.ts';

// Runs as a separate process, to be killed: follows a source of many files, and prints each that is recorded.
const [, , path = '', count = '0'] = process.argv;
const index = memoryVectorIndex();
const store = await openStore({ path, index, embeddingText: ({ text }) => text });
const { steps } = await followOver({ ...store, index });
const names = Array.from({ length: Number(count) }, (_, number) => [`${number}.md`, `Text ${number}.`]);
for await (const { name } of steps(sourceOfFiles(Object.fromEntries(names)))) console.log(name);
