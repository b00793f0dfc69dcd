import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { prepareDocument } from '../src/ingest/prepare-document.ts';
import { detectType } from '../src/ingest/readers/detect-type.ts';
import { errorMessage } from '../src/shared/error-message.ts';

const USAGE = `Measures how long files take to be read and split, each in a process of its own: processor time, the highest resident
memory of the process, and what was read.

  node scripts/measure-readers.ts FILE...

The time to start the process is left out, the time to load the reader of the format is not. Megabytes are of 10⁶ bytes.`;

const MEGABYTE = 1_000_000;
const [first, ...others] = process.argv.slice(2);

if (first === undefined || first === '--help') console.log(USAGE);
else if (first === '--one' && others[0] !== undefined) console.log(await measure(others[0]));
else {
  console.log(
    `| file | size | seconds | memory | characters | passages | sections | pages | title |\n|${'---|'.repeat(9)}`,
  );
  for (const file of [first, ...others]) {
    const row = execFileSync(process.execPath, [import.meta.filename, '--one', file], { encoding: 'utf8' });
    console.log(`| ${basename(file)} | ${row.trim()} |`);
  }
}

async function measure(file: string): Promise<string> {
  const bytes = new Uint8Array(readFileSync(file));
  const fileName = basename(file);
  const size = `${(bytes.length / MEGABYTE).toFixed(1)} MB`;
  try {
    const { type } = await detectType({ bytes, fileName });
    const before = process.cpuUsage();
    const job = { bytes, fileName, type, content: { kind: 'file' }, split: {}, skipSummary: false } as const;
    const read = await prepareDocument(job, new AbortController().signal);
    const { user, system } = process.cpuUsage(before);
    return [
      size,
      ((user + system) / MEGABYTE).toFixed(1),
      `${(process.resourceUsage().maxRSS / 1000).toFixed(0)} MB`,
      read.text.length,
      read.chunks.length,
      read.headings.length,
      read.pages.length,
      read.title ?? '',
    ].join(' | ');
  } catch (error) {
    return `${size} | refused: ${errorMessage(error)}`;
  }
}
