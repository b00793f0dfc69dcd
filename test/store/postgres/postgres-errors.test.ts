import { DatabaseError } from 'pg';
import { describe, expect, it } from 'vitest';
import { toServiceError } from '../../../src/store/postgres/postgres-errors.ts';

const name = 'postgres://me@localhost/citewell';

function refusalOf(code: string, message: string) {
  const error = new DatabaseError(message, message.length, 'error');
  error.code = code;
  return toServiceError(error, name);
}

describe('Errors of PostgreSQL', () => {
  it('name the reason for each address of a host that does not answer', () => {
    const errors = ['::1', '127.0.0.1'].map((address) => new Error(`connect ECONNREFUSED ${address}:5432`));
    const { message } = toServiceError(new AggregateError(errors), name);
    expect(message).toContain('does not answer: connect ECONNREFUSED ::1:5432; connect ECONNREFUSED 127.0.0.1:5432.');
  });

  it('distinguish a busy database from an unreachable one', () => {
    const { message, publicMessage } = toServiceError(new Error('timeout exceeded when trying to connect'), name);
    expect(message).toMatch(/connections .* in use/);
    expect(publicMessage).toBe('The database is busy. Try again later.');
  });

  it('point to the URL when a login lacks its password', () => {
    const missing = new Error('SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string');
    expect(toServiceError(missing, name).message).toMatch(/refuses the connection: SASL.*Check the user, password/);
    const wrong = refusalOf('28P01', 'password authentication failed for user "me"');
    expect(wrong.message).toMatch(/refuses the connection: password authentication failed.*Check the user, password/);
  });

  it('say that metadata have characters that it does not store, which is not tried again', () => {
    const nul = refusalOf('22P05', 'unsupported Unicode escape sequence');
    const half = refusalOf('22P02', 'invalid input syntax for type json');
    for (const error of [nul, half]) {
      expect(error).toMatchObject({ code: 'invalid_request', message: expect.stringContaining('NUL') });
    }
    expect(refusalOf('22P02', 'invalid input syntax for type bigint: "x"').code).toBe('store_failed');
  });
});
