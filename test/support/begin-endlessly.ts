import { memoryVectorIndex } from '../../src/store/memory/memory-vector-index.ts';
import { openS3Objects } from '../../src/store/originals/s3/s3-objects.ts';
import { openPostgresStore } from '../../src/store/postgres/open-postgres-store.ts';
import { openStore } from '../../src/store/sql/open-store.ts';
import { newDocument } from './new-document.ts';

// A child process for tests that kill it: begins documents whose files are stored as objects, and prints each id.
const [, , where = '', settings = '', round = ''] = process.argv;
const options = {
  index: memoryVectorIndex(),
  embeddingText: ({ text }: { readonly text: string }) => text,
  objects: openS3Objects(JSON.parse(settings)),
};
const { corpus } = where.startsWith('postgres')
  ? await openPostgresStore({ ...options, url: where })
  : await openStore({ ...options, path: where });
const beginSome = async (writer: number) => {
  for (let number = 0; ; number++) {
    const document = newDocument(`document ${number} of ${writer} in ${round}`);
    await corpus.begin(document);
    console.log(document.id);
  }
};
await Promise.all([1, 2, 3, 4].map(beginSome));
