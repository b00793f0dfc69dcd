import './build-first.js';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream, openAsBlob, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startCitewell } from '../test/support/run-citewell.ts';

// Measures the memory of the server during the upload of a large PDF, 199 MB by default. Linux only.
//   npm run bench-upload -- [megabytes]

const MB = 1_000_000;
const megabytes = Number(process.argv[2] ?? 199);

/** Writes a PDF with one page of text and an unreferenced stream of random bytes. */
async function writePdf(path: string, size: number): Promise<void> {
  const file = createWriteStream(path);
  const offsets: number[] = [];
  let at = 0;
  const write = async (part: string | Uint8Array) => {
    at += typeof part === 'string' ? Buffer.byteLength(part) : part.length;
    if (!file.write(part)) await once(file, 'drain');
  };
  const object = async (...parts: readonly string[]) => {
    offsets.push(at);
    await write(`${offsets.length} 0 obj\n${parts.join('\n')}\nendobj\n`);
  };
  const text = 'BT /F1 12 Tf 72 720 Td (The Rhine rises in the Alps and ends in the North Sea.) Tj ET';
  await write('%PDF-1.4\n');
  await object('<< /Type /Catalog /Pages 2 0 R >>');
  await object('<< /Type /Pages /Kids [3 0 R] /Count 1 >>');
  await object(
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>',
  );
  await object(`<< /Length ${text.length} >>\nstream\n${text}\nendstream`);
  await object('<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>');
  const noise = Math.max(0, size - at - 1000);
  offsets.push(at);
  await write(`6 0 obj\n<< /Length ${noise} >>\nstream\n`);
  for (let left = noise; left > 0; left -= MB) await write(randomBytes(Math.min(MB, left)));
  await write('\nendstream\nendobj\n');
  const start = at;
  const entries = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  await write(
    `xref\n0 7\n0000000000 65535 f \n${entries}trailer\n<< /Size 7 /Root 1 0 R >>\nstartxref\n${start}\n%%EOF\n`,
  );
  file.end();
  await once(file, 'close');
}

const resident = (pid: number, name: 'VmRSS' | 'VmHWM'): number =>
  Number(new RegExp(`${name}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1000;

const folder = await mkdtemp(join(tmpdir(), 'citewell-upload-'));
const server = await startCitewell({ cwd: folder });
try {
  const path = join(folder, 'large.pdf');
  await writePdf(path, megabytes * MB);
  const before = resident(server.pid, 'VmRSS');
  const startedAt = performance.now();
  const form = new FormData();
  form.set('file', await openAsBlob(path), 'large.pdf');
  const response = await fetch(`${server.url}/v3/documents`, { method: 'POST', body: form });
  console.log(response.status, (await response.text()).slice(0, 200));
  const seconds = (performance.now() - startedAt) / 1000;
  const peak = resident(server.pid, 'VmHWM');
  console.log(`${megabytes} MB: ${seconds.toFixed(1)} s`);
  console.log(
    `server before ${before.toFixed(0)} MB, peak ${peak.toFixed(0)} MB, ${(peak - before).toFixed(0)} MB more`,
  );
} finally {
  await server.kill();
  await rm(folder, { recursive: true, force: true });
}
