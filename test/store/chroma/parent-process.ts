/**
 * Simulates a Citewell process that gets killed: `parent-process.ts FOLDER CACHE` starts a Chroma, reports it, and
 * stays.
 */
import { openEmbeddedChroma } from '../../../src/store/chroma/embedded-chroma.ts';

const [folder = '', cacheFolder = ''] = process.argv.slice(2);
const log = { info: () => undefined, warn: () => undefined };
const chroma = await openEmbeddedChroma({ folder, cacheFolder, log });
await chroma.ready();
const collection = await chroma.open('kept', 4);
await collection.upsert([{ key: 1, vector: Float32Array.of(1, 0, 0, 0) }]);
process.stdout.write(`${JSON.stringify(chroma.server)}\n`);
