import type { QueryConfig } from 'pg';
import { expect, it } from 'vitest';
import { createDatabaseState } from '../../../src/store/postgres/database-state.ts';

interface Server {
  readonly database: string | null;
  readonly started: string;
}

/** Answers as the server of that moment; `null` as its database: it does not let one ask for it. */
function watched(first: Server) {
  let server = first;
  const heard: string[] = [];
  const state = createDatabaseState();
  state.onRestart(() => heard.push('restart'));
  state.onReverted(() => heard.push('reverted'));
  const query = async ({ text }: QueryConfig) => {
    if (server.database === null && text.includes('pg_control_system')) throw new Error('permission denied');
    const row = text.includes('pg_control_system') ? server : { ...server, database: null };
    return { rows: [row], rowCount: 1, command: 'SELECT', oid: 0, fields: [] };
  };
  const check = async (now: Server) => {
    server = now;
    await state.check(query);
    return heard.splice(0);
  };
  return check;
}

it('distinguishes a restart from another database', async () => {
  const check = watched({ database: 'a', started: '1' });
  expect(await check({ database: 'a', started: '1' })).toEqual([]);
  expect(await check({ database: 'a', started: '2' })).toEqual(['restart']);
  expect(await check({ database: 'b', started: '2' })).toEqual(['restart', 'reverted']);
});

it('notices a restart where the server does not say which database it is', async () => {
  const check = watched({ database: null, started: '1' });
  expect(await check({ database: null, started: '1' })).toEqual([]);
  expect(await check({ database: null, started: '2' })).toEqual(['restart']);
});

it('does not mistake a failed query for another database', async () => {
  const check = watched({ database: 'a', started: '1' });
  expect(await check({ database: 'a', started: '1' })).toEqual([]);
  expect(await check({ database: null, started: '1' })).toEqual([]);
  expect(await check({ database: 'a', started: '1' })).toEqual([]);
  expect(await check({ database: 'b', started: '1' })).toEqual(['restart', 'reverted']);
});
