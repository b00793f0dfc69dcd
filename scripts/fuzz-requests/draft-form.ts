import { gzipSync } from 'node:zlib';
import type { DraftedBody } from './draft-body.ts';
import type { SchemaParts } from './from-schema.ts';
import { invalidString } from './odd-values.ts';

/** A multipart form with the fields of an object, malformed in one of several ways. */
export function draftForm(value: unknown, { random }: SchemaParts): DraftedBody {
  const boundary = random.pick(['----fuzz', 'b', 'x'.repeat(70), "a'b", '=']);
  const members = typeof value === 'object' && value !== null ? Object.entries(value) : [['raw_text', value] as const];
  const content = members.filter(([name]) => !['file', 'raw_text', 'chunks'].includes(name));
  const parts = [
    ...content.map(([name, each]) => part(`form-data; name="${header(name)}"`, textOf(each))),
    ...(random.chance(0.8) ? [filePart()] : []),
    ...(random.chance(0.1) ? [filePart()] : []),
    ...(random.chance(0.1) ? [part('form-data', 'without a name')] : []),
    ...(random.chance(0.1) ? [part(`form-data; name="${'n'.repeat(300)}"`, 'x')] : []),
    ...(random.chance(0.1) ? [part('form-data; name="__proto__"', '{"a":1}')] : []),
    ...(random.chance(0.1) ? [part('form-data; name="metadata[a][b]"', '1')] : []),
    ...(random.chance(0.03) ? Array.from({ length: 200 }, () => part('form-data; name="a"', 'x')) : []),
  ];
  const whole = Buffer.concat([
    ...parts.flatMap((each) => [Buffer.from(`--${boundary}\r\n`), each, Buffer.from('\r\n')]),
    Buffer.from(`--${boundary}--\r\n`),
  ]);
  const bytes = random.chance(0.3) ? whole.subarray(0, random.integer(0, whole.length)) : whole;
  const named = random.chance(0.05) ? 'other' : boundary;
  return {
    bytes,
    headers: { 'content-type': `multipart/form-data; boundary=${/^[\w-]+$/.test(named) ? named : `"${named}"`}` },
  };

  function filePart(): Buffer {
    const name = random.chance(0.7)
      ? `a.${random.pick(['txt', 'md', 'csv', 'json', 'html', 'pdf', 'docx', 'xlsx', 'eml', 'zip', 'png', 'exe', 'TXT', ''])}`
      : header(invalidString(random).slice(0, 2_000));
    const field = random.chance(0.95) ? 'file' : 'files';
    const type = random.chance(0.5)
      ? `\r\nContent-Type: ${random.pick(['text/plain', 'application/pdf', 'x', 'text/plain; charset=utf-16'])}`
      : '';
    const extra = random.chance(0.1) ? '\r\nContent-Transfer-Encoding: base64' : '';
    return part(`form-data; name="${field}"; filename="${name}"${type}${extra}`, fileBytes());
  }

  function fileBytes(): Buffer {
    switch (random.integer(0, 7)) {
      case 0:
        return Buffer.alloc(random.pick([0, 1, 100_000]));
      case 1:
        return Buffer.from(Array.from({ length: 400 }, () => random.integer(0, 255)));
      case 2:
        return Buffer.concat([Buffer.from('%PDF-1.7\n'), Buffer.from(invalidString(random))]);
      case 3:
        return Buffer.concat([Buffer.from('PK\x03\x04'), gzipSync(invalidString(random))]);
      case 4:
        return Buffer.from(`name,year\n${invalidString(random)},2020\n"open`);
      case 5:
        return Buffer.from(`{"title": ${JSON.stringify(invalidString(random))}}`);
      case 6:
        return Buffer.from(`<html><body><h1>${invalidString(random)}</h1><table><tr><td>a`);
      default:
        return Buffer.from(`# Harbour\n\nLights of ${invalidString(random)}\n\nThe northern coast.`);
    }
  }
}

const part = (disposition: string, content: string | Buffer): Buffer =>
  Buffer.concat([Buffer.from(`Content-Disposition: ${disposition}\r\n\r\n`), Buffer.from(content)]);

const header = (text: string): string => text.replace(/["\r\n]/g, '_');
const textOf = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));
