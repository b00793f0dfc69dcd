import { memoryVectorIndex } from '../../src/store/memory/memory-vector-index.ts';
import { openStore } from '../../src/store/sql/open-store.ts';
import { newChunks, newDocument, publication } from './new-document.ts';

// A child process for tests that kill it: publishes documents and prints the id of each.
const [, , path = ''] = process.argv;
const { corpus } = await openStore({ path, index: memoryVectorIndex(), embeddingText: ({ text }) => text });
const ingestSome = async (writer: number) => {
  for (let number = 0; ; number++) {
    const document = newDocument(`document ${number} of ${writer}`);
    await corpus.begin(document);
    await corpus.stage(document.id, newChunks(20));
    await corpus.publish(document.id, publication('text'));
    console.log(document.id);
  }
};
await Promise.all([1, 2, 3].map(ingestSome));
