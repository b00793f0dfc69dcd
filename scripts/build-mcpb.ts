import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { buildBundle, packPackage, unpackPackage } from './packaging/bundle.ts';
import { packageFile } from './packaging/manifests.ts';

/** `node scripts/build-mcpb.ts [file]` builds the MCPB bundle for the current platform. */
const { name, version } = packageFile;
const file = resolve(process.argv[2] ?? `${name}-${version}-${process.platform}-${process.arch}.mcpb`);
const folder = mkdtempSync(join(tmpdir(), 'citewell-mcpb-'));
try {
  buildBundle(unpackPackage(packPackage(folder), folder), file);
  console.log(file);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
