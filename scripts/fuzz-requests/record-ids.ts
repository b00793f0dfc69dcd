import { randomUUID } from 'node:crypto';
import { member } from '../kill-test/api.ts';
import type { Random } from '../seeded-random.ts';
import { invalidString } from './odd-values.ts';
import { type Owner, PASSWORD } from './owner.ts';

/** Kind of the identifier in a path parameter: `/documents/:id` needs `documents`. */
export type Kind =
  | 'documents'
  | 'chunks'
  | 'conversations'
  | 'messages'
  | 'collections'
  | 'users'
  | 'entities'
  | 'relationships'
  | 'communities'
  | 'keys'
  | 'tasks'
  | 'runs'
  | 'versions'
  | 'prompts'
  | 'names'
  | 'indices'
  | 'chatModels';

/** Identifiers of existing records, so that requests reach them. */
export interface RecordIds {
  pick(kind: Kind, random: Random): string;
  /** Picks an identifier of any kind. */
  pickAny(random: Random): string;
  /** Reads the identifiers again and creates records of kinds that have few. */
  refill(): Promise<void>;
}

export interface RecordIdsParts {
  readonly url: string;
  /** The user whose records are excluded. */
  readonly owner: Owner;
}

const MIN_OF_EACH_KIND = 6;
const LISTED = 40;

export function createRecordIds({ url, owner }: RecordIdsParts): RecordIds {
  const found = new Map<Kind, readonly string[]>();

  const ask = async (method: string, path: string, body?: unknown): Promise<unknown> => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(60_000),
    });
    const text = await response.text();
    const value: unknown = text.startsWith('{') ? JSON.parse(text) : undefined;
    return response.ok ? member(value, 'results') : undefined;
  };
  const list = async (kind: Kind, path: string, name = 'id'): Promise<readonly string[]> => {
    const rows = await ask('GET', `${path}${path.includes('?') ? '&' : '?'}limit=${LISTED}`);
    const ids = (Array.isArray(rows) ? rows : [])
      .filter((row) => !owner.owns(row))
      .flatMap((row) => [member(row, name)].filter((id) => typeof id === 'string'));
    found.set(kind, ids);
    return ids;
  };

  async function refill(): Promise<void> {
    const documents = await list('documents', '/v3/documents');
    for (let count = documents.length; count < MIN_OF_EACH_KIND; count++) {
      const raw_text = `Harbour lights number ${randomUUID()} on the northern coast. Captain Ada Lovelace met Charles Babbage.`;
      await ask('POST', '/v3/documents', { raw_text, metadata: { year: 2020 + count, tags: ['sea', 'light'] } });
    }
    const [document] = await list('documents', '/v3/documents');
    if (document !== undefined) {
      await ask('POST', '/v3/documents', {
        id: document,
        replace: true,
        raw_text: `Lights of another night: ${randomUUID()}`,
      });
      await list('versions', `/v3/documents/${document}/versions`, 'version');
    }
    await list('chunks', '/v3/chunks');
    if ((await list('conversations', '/v3/conversations')).length < MIN_OF_EACH_KIND)
      await ask('POST', '/v3/conversations', {});
    const [conversation] = await list('conversations', '/v3/conversations');
    await ask('POST', `/v3/conversations/${conversation}/messages`, { role: 'user', content: 'Which harbour?' });
    await list('messages', `/v3/conversations/${conversation}`);
    const collections = await list('collections', '/v3/collections');
    for (let count = collections.length; count < MIN_OF_EACH_KIND; count++) {
      await ask('POST', '/v3/collections', { name: `Ships ${randomUUID()}` });
    }
    const [collection] = await list('collections', '/v3/collections');
    await list('names', '/v3/collections', 'name');
    if (document !== undefined) await ask('POST', `/v3/collections/${collection}/documents/${document}`);
    const graph = `/v3/graphs/${collection}`;
    const entity = { name: 'Ada', description: 'A captain.', category: 'person' };
    const one = member(await ask('POST', `${graph}/entities`, entity), 'id');
    const other = member(await ask('POST', `${graph}/entities`, { ...entity, name: 'Charles' }), 'id');
    const met = {
      subject: 'Ada',
      subject_id: one,
      predicate: 'met',
      object: 'Charles',
      object_id: other,
      description: '',
    };
    await ask('POST', `${graph}/relationships`, met);
    await ask('POST', `${graph}/pull`);
    await ask('POST', `${graph}/communities`, { name: 'Sailors', summary: 'At sea.', findings: [], rating: 5 });
    for (const kind of ['entities', 'relationships', 'communities'] as const) await list(kind, `${graph}/${kind}`);
    await ask('POST', '/v3/users', { email: 'ada@example.org', password: PASSWORD });
    const [user] = await list('users', '/v3/users');
    await ask('POST', `/v3/users/${user}/api-keys`, { name: 'a key' });
    await list('keys', `/v3/users/${user}/api-keys`, 'key_id');
    await list('tasks', '/v3/tasks');
    await ask('POST', '/v3/retrieval/rag', { query: 'Which harbour?', rag_generation_config: { stream: true } });
    await list('runs', '/v3/retrieval/runs');
    await list('prompts', '/v3/prompts', 'name');
    const indices = member(await ask('GET', '/v3/indices'), 'indices');
    const names = (Array.isArray(indices) ? indices : []).map((each) => String(member(member(each, 'index'), 'name')));
    found.set('indices', ['chunks', ...names]);
    found.set('chatModels', ['citewell', 'citewell/rag', 'citewell%2Fagent', 'openai/gpt']);
  }

  const pick = (kind: Kind, random: Random): string => {
    const [first, ...others] = found.get(kind) ?? [];
    if (first === undefined) return invalidString(random);
    // Prefers the first one, because nested records are created below it.
    return random.chance(0.4) ? first : random.pick([first, ...others]);
  };
  return {
    refill,
    pick,
    pickAny(random) {
      const [first, ...others] = [...found.keys()];
      return first === undefined ? randomUUID() : pick(random.pick([first, ...others]), random);
    },
  };
}
