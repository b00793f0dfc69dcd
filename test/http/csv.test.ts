import { PassThrough, Readable } from 'node:stream';
import type { Response } from 'express';
import { describe, expect, it } from 'vitest';
import { toCsv } from '../../src/http/csv.ts';
import { sendPieces } from '../../src/http/send-csv.ts';
import { planExport } from '../../src/http/wire/export-request.ts';

async function* rows(count: number, row: readonly (string | number | null)[]) {
  for (let made = 0; made < count; made++) yield row;
}

const textOf = async (pieces: AsyncIterable<string>) => {
  let text = '';
  for await (const piece of pieces) text += piece;
  return text;
};

describe('a CSV file', () => {
  it('quotes every field and alters none', async () => {
    const values = ['a"b', '=1+1', 'x,\ny', '', null, 3, -0.5];
    const text = await textOf(toCsv(['one'], rows(1, values as (string | number | null)[])));
    expect(text).toBe('"one"\r\n"a""b","=1+1","x,\ny","","","3","-0.5"\r\n');
  });

  it('is only the header when there are no rows, and empty without a header', async () => {
    expect(await textOf(toCsv(['a', 'b'], rows(0, [])))).toBe('"a","b"\r\n');
    expect(await textOf(toCsv(undefined, rows(0, [])))).toBe('');
  });

  it('is produced in chunks of bounded size, on demand', async () => {
    let made = 0;
    const endless = async function* () {
      for (;;) {
        made++;
        yield ['x'.repeat(1_000)];
      }
    };
    const pieces = toCsv(['a'], endless());
    const first = await pieces.next();
    expect(String(first.value).length).toBeLessThan(70_000);
    expect(made).toBeLessThan(70);
    await pieces.return();
  });
});

describe('a streamed response', () => {
  it('is ended silently when the client disconnects before the first chunk', async () => {
    const response = new PassThrough();
    response.destroy();
    let isReleased = false;
    const pieces = new Readable({
      read() {
        this.push('a');
      },
      destroy(_error, done) {
        isReleased = true;
        done(null);
      },
    });
    await sendPieces(response as unknown as Response, pieces);
    expect(isReleased).toBe(true);
  });
});

describe('the plan of an export', () => {
  const columns = { id: (row: { id: string }) => row.id, list: () => ['a', 'b'] };

  it('has the requested columns in the requested order, and all by default', () => {
    const asked = { columns: ['list', 'id'], filters: undefined, include_header: undefined };
    expect(planExport(columns, asked).values({ id: '1' })).toEqual([['a', 'b'], '1']);
    expect(planExport(columns, { ...asked, columns: undefined }).names).toEqual(['id', 'list']);
  });

  it('compares times in whatever zone they are given, and refuses texts that are no time', () => {
    const dated = { created_at: (row: { at: string }) => row.at };
    const createdAfter = (time: unknown) =>
      planExport(dated, { columns: undefined, filters: { created_at: { $gt: time } }, include_header: undefined });
    expect(createdAfter('2026-03-01T13:00:00+02:00').includes({ at: '2026-03-01T11:30:00.000Z' })).toBe(true);
    expect(createdAfter('2026-03-01T13:00:00+01:00').includes({ at: '2026-03-01T11:30:00.000Z' })).toBe(false);
    expect(() => createdAfter('soon')).toThrow('"$gt" on "created_at" compares with a time such as');
  });

  it('refuses names of inherited object members as columns', () => {
    const asked = { columns: ['constructor'], filters: undefined, include_header: undefined };
    expect(() => planExport(columns, asked)).toThrow('"constructor" is not a column');
  });
});
