import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { toolsets } from '../../src/compose/toolsets.ts';
import { chooseTools } from '../../src/mcp/choose-tools.ts';
import { mcpOverHttp } from '../../src/mcp/http.ts';
import { createLocalBackend } from '../../src/mcp/local-backend.ts';
import { mcpServers } from '../../src/mcp/server.ts';
import { defaultSandboxLimits } from '../../src/sandbox/default-limits.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import type { ToolNeed } from '../../src/toolbox/tool.ts';
import { type MountedServices, startCitewell } from '../http/support/start-citewell.ts';
import type { RunningHttp } from '../http/support/start-http.ts';
import { chatReply } from '../support/fake-openai.ts';
import { type FakeProvider, type ReceivedRequest, type Reply, startFakeProvider } from '../support/fake-provider.ts';
import { eraOptions } from './support/citewell-mcp.ts';

const PASSWORD = 'a long pass phrase';
const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
};

/** Made-up words, each in one place only, so that a result shows which places it includes. */
const secrets = {
  ownText: 'xylophagous',
  earlierText: 'quixotry',
  metadata: 'ptarmigan',
  context: 'brobdingnag',
  title: 'mumpsimus',
  entity: 'zanzibarian',
  community: 'gongoozler',
  conversation: 'sesquipedal',
  collection: 'vexillology',
  unshared: 'ultracrepid',
  removed: 'floccinauci',
  shared: 'zymurgist',
} as const;
type Secret = keyof typeof secrets;

const people = ['owner', 'member', 'stranger', 'superuser'] as const;
type Person = (typeof people)[number];

/** What each person may see. */
const everything = (Object.keys(secrets) as Secret[]).filter((secret) => secret !== 'removed');
const visible: Readonly<Record<Person, readonly Secret[]>> = {
  owner: everything,
  superuser: everything,
  member: ['shared', 'collection'],
  stranger: [],
};

interface Call {
  readonly arguments: Readonly<Record<string, unknown>>;
  /** What it returns to users who may see everything; others get the part they may see. */
  readonly shows: readonly Secret[];
  /** For results that belong to one person only. */
  readonly only?: Person;
}

const ids: Record<string, string> = {};
const tokens = new Map<Person, string>();
const clients = new Map<Person, Client>();
let provider: FakeProvider;
let http: RunningHttp;
let closeMcp: () => Promise<void>;
/** The model's reply in place of an echo. */
let saying: string | undefined;

/** Calls of every tool with correctly guessed identifiers of others. */
function callsOf(): Readonly<Record<string, readonly Call[]>> {
  const { own = '', shared = '', unshared = '', removed = '', chunk = '', then = '', collection = '' } = ids;
  const QUERY = 'beetle timber';
  const ofOwn = ['ownText', 'title'] as const;
  const present = [...ofOwn, 'unshared', 'shared'] as const;
  const past = ['earlierText', 'unshared', 'shared'] as const;
  const inDocument = (more: object = {}): Call[] => [
    { arguments: { document_id: own, ...more }, shows: ofOwn },
    { arguments: { document_id: own.slice(0, 8), ...more }, shows: ofOwn },
    { arguments: { document_id: shared, ...more }, shows: ['shared'] },
    { arguments: { document_id: unshared, ...more }, shows: ['unshared'] },
    { arguments: { document_id: removed, ...more }, shows: [] },
    { arguments: { document_id: own, as_of: then, ...more }, shows: ['earlierText'] },
    { arguments: { document_id: unshared, as_of: then, ...more }, shows: ['unshared'] },
    { arguments: { document_id: removed, as_of: then, ...more }, shows: [] },
  ];
  const searching = { query: QUERY, max_chars: 40_000 };
  const CLAIM = 'The beetle lives in timber, as the Arachne Society of beetles wrote.';
  return {
    check_citations: [
      { arguments: { answer: CLAIM, document_ids: [own], search: false }, shows: ofOwn },
      { arguments: { answer: CLAIM, document_ids: [removed], search: false }, shows: [] },
    ],
    // No folder is allowed in this test.
    list_files: [{ arguments: {}, shows: [] }],
    sync_folder: [{ arguments: { path: '/' }, shows: [] }],
    search_file_knowledge: [
      ...(['semantic', 'full_text', 'hybrid'] as const).flatMap((mode) => [
        { arguments: { ...searching, mode }, shows: present },
        { arguments: { ...searching, mode, as_of: then }, shows: past },
      ]),
      { arguments: { ...searching, filters: { document_id: { $eq: own } } }, shows: ofOwn },
      { arguments: { ...searching, filters: { owner_id: { $eq: ids['owner'] } } }, shows: present },
      { arguments: { ...searching, filters: { collection_ids: { $overlap: [collection] } } }, shows: ['shared'] },
      {
        arguments: { ...searching, filters: { $or: [{ document_id: { $eq: own } }, { title: { $ilike: '%' } }] } },
        shows: present,
      },
      { arguments: { query: 'Arachne Society', max_chars: 40_000 }, shows: [...present, 'entity', 'community'] },
    ],
    search_file_descriptions: [
      { arguments: {}, shows: present },
      { arguments: { query: 'report' }, shows: present },
      { arguments: { query: 'report', as_of: then }, shows: past },
      { arguments: { as_of: then }, shows: past },
      { arguments: { filters: { document_id: { $eq: own } } }, shows: ofOwn },
    ],
    content: [
      ...inDocument(),
      { arguments: { around_chunk_id: chunk }, shows: ofOwn },
      { arguments: { around_chunk_id: ids['chunkThen'], as_of: then }, shows: ['earlierText'] },
    ],
    get_file_content: inDocument(),
    web_search: [{ arguments: { query: QUERY }, shows: [] }],
    web_scrape: [{ arguments: { urls: ['https://example.org/'] }, shows: [] }],
    rag: [{ arguments: { query: QUERY }, shows: present }],
    reasoning: [{ arguments: { query: `What is document ${own}?` }, shows: [] }],
    critique: [{ arguments: { text: `Document ${own} is sound.` }, shows: [] }],
    python_executor: [
      { arguments: { code: '1', documents: [own] }, shows: [...ofOwn, 'metadata'] },
      { arguments: { code: '1', documents: [shared] }, shows: ['shared'] },
      { arguments: { code: '1', documents: [own.slice(0, 8)] }, shows: [...ofOwn, 'metadata'] },
      { arguments: { code: '1', chunks: [chunk] }, shows: ofOwn },
    ],
    corpus_status: [
      { arguments: {}, shows: ['title', 'metadata', 'unshared', 'shared'] },
      { arguments: { list: true }, shows: ['title', 'unshared', 'shared'] },
      { arguments: { filters: { id: { $in: [own, unshared, removed] } } }, shows: ['title', 'unshared'] },
      { arguments: { document_id: own }, shows: ['title'] },
      { arguments: { document_id: shared }, shows: ['shared'] },
      { arguments: { document_id: unshared }, shows: ['unshared'] },
      { arguments: { document_id: removed }, shows: [] },
    ],
    research_start: [{ arguments: { query: 'Which beetle lives in timber?' }, shows: [] }],
    research_result: [{ arguments: { research_id: ids['research'], wait_seconds: 20 }, shows: present, only: 'owner' }],
    ingest_text: [
      { arguments: { text: 'Something of one’s own.', collections: [ids['private']] }, shows: [] },
      { arguments: { text: 'Something of one’s own.', collections: ['Private'] }, shows: [] },
    ],
    ingest_file: [{ arguments: { path: '/etc/hostname' }, shows: [] }],
    ingest_url: [{ arguments: { url: 'http://127.0.0.1:9/' }, shows: [] }],
    delete_document: [
      { arguments: { document_id: own }, shows: ['title'] },
      { arguments: { document_id: shared }, shows: ['shared'] },
      { arguments: { document_id: unshared }, shows: ['unshared'] },
    ],
    search: [
      // Titles only; the other call of the pair covers texts.
      { arguments: { query: QUERY }, shows: ['title', 'unshared', 'shared'] },
    ],
    fetch: [
      { arguments: { id: own }, shows: ofOwn },
      { arguments: { id: shared }, shows: ['shared'] },
      { arguments: { id: unshared }, shows: ['unshared'] },
      { arguments: { id: removed }, shows: [] },
    ],
  };
}

/** A model that echoes its prompt: data a user may not see must not reach their model either. */
function repeat({ body }: ReceivedRequest): Reply {
  if (saying !== undefined) return chatReply({ text: saying });
  const { messages = [], tools = [] } = body as {
    readonly messages?: readonly { readonly role: string; readonly content: unknown }[];
    readonly tools?: readonly { readonly function: { readonly name: string } }[];
  };
  const names = tools.map((tool) => tool.function.name);
  const name = ['search_file_knowledge', 'rag'].find((each) => names.includes(each));
  if (name !== undefined && !messages.some(({ role }) => role === 'tool')) {
    return chatReply({ toolCalls: [{ id: 'call_1', name, arguments: JSON.stringify({ query: 'beetle timber' }) }] });
  }
  return chatReply({ text: messages.map(({ content }) => JSON.stringify(content)).join('\n') });
}

/** A sandbox that returns its input instead of running it. */
const showingSandbox: Pick<Sandbox, 'run' | 'limits'> = {
  limits: defaultSandboxLimits,
  run: async ({ inputs, files }) => {
    const text = JSON.stringify(inputs) + files.map(({ bytes }) => Buffer.from(bytes).toString()).join('\n');
    const captured = (shown: string) => ({ text: shown, characters: shown.length, isTruncated: false });
    const made = [{ name: 'note.txt', bytes: Buffer.from('made by Python') }];
    const common = {
      files: made,
      skippedFiles: [],
      restoredFiles: 0,
      lostFiles: [],
      milliseconds: 1,
      sessionLost: false,
    };
    return { end: 'finished', stdout: captured(text), stderr: captured(''), ...common };
  },
};

const needs: readonly ToolNeed[] = [
  ...([
    'web_search',
    'web_pages',
    'sandbox',
    'reasoner',
    'answerer',
    'checker',
    'ingestion',
    'folders',
    'research',
    'facts',
  ] as const),
];
const names = [...new Set(Object.values(toolsets).flat())].map(({ name }) => name);

function mountMcp(services: MountedServices) {
  const never = () => Promise.reject(new Error('The web is not reached in this test.'));
  const backend = createLocalBackend({
    ...services,
    web: { webSearch: { engines: [], search: never }, webPages: { read: never } as never, fetchPage: never },
    sandbox: showingSandbox as Sandbox,
  });
  const offer = chooseTools(toolsets, { tools: names }, new Set(needs));
  const mcp = mcpOverHttp({
    createServer: mcpServers({ backend, offer, folders: [], version: '0.0.0' }),
    backend,
    authenticate: services.authenticate,
    allowedHosts: ['127.0.0.1'],
    allowedOrigins: ['127.0.0.1'],
    onError: () => {},
  });
  closeMcp = async () => {
    await mcp.close();
    await backend.close();
  };
  return { path: '/mcp', handler: mcp.router };
}

async function send(person: Person | undefined, method: string, path: string, body?: unknown) {
  const token = person && tokens.get(person);
  const response = await fetch(`${http.url}/v3${path}`, {
    method,
    headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  // biome-ignore lint/suspicious/noExplicitAny: answers are read as a client without types would
  const { results, ...rest } = (await response.json()) as { results: any };
  if (!response.ok) throw new Error(`${method} ${path} was answered ${response.status} ${JSON.stringify(rest)}`);
  return results;
}

async function connect(person: Person): Promise<void> {
  const client = new Client({ name: 'test', version: '1.0.0' }, eraOptions('modern'));
  const requestInit = { headers: { authorization: `Bearer ${tokens.get(person)}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${http.url}/mcp`), { requestInit }));
  clients.set(person, client);
}

const clientOf = (person: Person): Client => {
  const client = clients.get(person);
  if (client === undefined) throw new Error(`${person} is not connected.`);
  return client;
};

async function signIn(): Promise<void> {
  for (const person of ['owner', 'member', 'stranger'] as const) {
    const email = `${person}@example.org`;
    const user = await send(undefined, 'POST', '/users', { email, password: PASSWORD });
    ids[person] = user.id;
    const login = await send(undefined, 'POST', '/users/login', { username: email, password: PASSWORD });
    tokens.set(person, login.access_token.token);
  }
  const admin = { username: 'admin@example.com', password: 'change_me_immediately' };
  tokens.set('superuser', (await send(undefined, 'POST', '/users/login', admin)).access_token.token);
}

const add = async (body: object): Promise<string> =>
  (await send('owner', 'POST', '/documents', { run_with_orchestration: false, ...body })).document_id;

/** Creates all of the owner's data, with a secret in every place that could leak. */
async function fill(): Promise<void> {
  const { id: collection } = await send('owner', 'POST', '/collections', {
    name: 'Shared',
    description: secrets.collection,
  });
  const own = await send('owner', 'POST', '/collections', { name: 'Private', description: secrets.collection });
  await send('owner', 'POST', `/collections/${collection}/users/${ids['member']}`);
  const report = (secret: string, more: object = {}) => ({
    raw_text: `The ${secret} beetle lives in timber. The Arachne Society of beetles wrote so.`,
    metadata: { title: `Report ${secret}` },
    ...more,
  });
  saying = undefined;
  const unshared = await add(report(secrets.unshared, { collection_ids: [collection] }));
  const shared = await add(report(secrets.shared, { collection_ids: [collection] }));
  const removed = await add(report(secrets.removed, { collection_ids: [collection] }));
  const first = await add(report(secrets.earlierText));
  const before = await send('owner', 'GET', `/documents/${first}/chunks`);
  await new Promise((resolve) => setTimeout(resolve, 5));
  const then = new Date().toISOString();
  await new Promise((resolve) => setTimeout(resolve, 5));
  await send('owner', 'DELETE', `/collections/${collection}/documents/${unshared}`);
  await send('owner', 'DELETE', `/documents/${removed}`);
  saying = secrets.context;
  await add({
    id: first,
    replace: true,
    raw_text: `The ${secrets.ownText} beetle lives in timber, as the Arachne Society of beetles wrote.`,
    metadata: { title: `Report ${secrets.title}`, field: secrets.metadata },
    ingestion_config: { chunk_enrichment_settings: { enable_chunk_enrichment: true } },
  });
  saying = undefined;
  const [{ id: chunk }] = await send('owner', 'GET', `/documents/${first}/chunks`);
  const conversation = await send('owner', 'POST', '/conversations', { name: secrets.conversation });
  await send('owner', 'POST', `/conversations/${conversation.id}/messages`, {
    role: 'user',
    content: secrets.conversation,
  });
  const graph = `/graphs/${own.id}`;
  const made = { name: 'Arachne Society', description: secrets.entity };
  const entity = await send('owner', 'POST', `${graph}/entities`, made);
  await send('owner', 'POST', `${graph}/relationships`, {
    subject: 'Arachne Society',
    subject_id: entity.id,
    predicate: 'keeps',
    object: 'Arachne Society',
    object_id: entity.id,
    description: secrets.entity,
  });
  await send('owner', 'POST', `${graph}/communities`, { name: 'Arachne Society', summary: secrets.community });
  for (const id of [first, shared, unshared]) await send('owner', 'POST', `/documents/${id}/extract`, {});
  Object.assign(ids, { collection, private: own.id, unshared, shared, removed, then, chunk, own: first });
  ids['chunkThen'] = before[0].id;
}

beforeAll(async () => {
  provider = await startFakeProvider(repeat);
  http = await startCitewell({
    isRequired: true,
    hasTestAdmin: true,
    mount: mountMcp,
    models: {
      providers: [{ name: 'fake', baseUrl: `${provider.origin}/v1` }],
      models: { quality: 'fake/gpt', fast: 'fake/gpt', reasoning: 'fake/gpt' },
    },
  });
  await signIn();
  await fill();
  for (const person of people) await connect(person);
  const started = await clientOf('owner').callTool({
    name: 'research_start',
    arguments: { query: 'Which beetle lives in timber?' },
  });
  ids['research'] = (started.structuredContent as { research_id: string }).research_id;
});

afterAll(async () => {
  for (const client of clients.values()) await client.close();
  await closeMcp();
  await http.close();
  await provider.close();
});

const shownIn = (result: unknown): Secret[] => {
  const text = JSON.stringify(result).toLowerCase();
  return (Object.keys(secrets) as Secret[]).filter((secret) => text.includes(secrets[secret].toLowerCase()));
};
const sorted = (given: readonly Secret[]) => [...given].sort();

describe('every tool', () => {
  it('is walked, and so is whatever is added', async () => {
    const { tools } = await clientOf('stranger').listTools();
    expect(tools.map(({ name }) => name).sort()).toEqual([...names].sort());
    expect(Object.keys(callsOf()).sort()).toEqual([...names].sort());
    for (const [name, calls] of Object.entries(callsOf())) expect([name, calls.length]).not.toEqual([name, 0]);
  });

  it.each(names)('is refused without credentials: %s', async (name) => {
    const call = { ...INITIALIZE, method: 'tools/call', params: { name, arguments: {} } };
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    const response = await fetch(`${http.url}/mcp`, { method: 'POST', headers, body: JSON.stringify(call) });
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toContain('Bearer');
  });

  it.each(names)('shows each user only what they may see: %s', async (name) => {
    for (const call of callsOf()[name] ?? []) {
      for (const person of people) {
        const result = await clientOf(person).callTool({ name, arguments: call.arguments });
        const may = call.only === undefined || call.only === person ? visible[person] : [];
        const shown = call.shows.filter((secret) => may.includes(secret));
        expect([person, call.arguments, sorted(shownIn(result))]).toEqual([person, call.arguments, sorted(shown)]);
      }
    }
  });
});

describe('changing tools', () => {
  const call = async (person: Person, name: string, given: object) =>
    (await clientOf(person).callTool({ name, arguments: { ...given } })) as {
      readonly isError?: boolean;
      readonly structuredContent?: Readonly<Record<string, unknown>>;
    };

  it('delete only for the owner', async () => {
    for (const person of ['member', 'stranger'] as const) {
      for (const id of [ids['own'], ids['shared'], ids['unshared']]) {
        const result = await call(person, 'delete_document', { document_id: id, confirm: true });
        expect([person, result.isError]).toEqual([person, true]);
        expect(await send('owner', 'GET', `/documents/${id}`)).toMatchObject({ id });
      }
    }
  });

  it('do not reveal that another user has the same content', async () => {
    const text = 'The same words, sent by two who know nothing of each other.';
    for (const person of ['owner', 'stranger'] as const) {
      const { structuredContent } = await call(person, 'ingest_text', { text, title: 'Same' });
      expect([person, structuredContent?.['outcome']]).toEqual([person, 'ingested']);
    }
  });

  it('refuse collections of which the user is no member', async () => {
    for (const [person, collection] of [
      ['member', ids['private']],
      ['stranger', ids['private']],
      ['stranger', ids['collection']],
    ] as const) {
      const { isError } = await call(person, 'ingest_text', { text: `From ${person}.`, collections: [collection] });
      expect([person, isError]).toEqual([person, true]);
      const documents = await send('owner', 'GET', `/collections/${collection}/documents`);
      const owners = documents.map((each: { readonly owner_id: string }) => each.owner_id);
      expect([...new Set(owners)]).not.toContain(ids[person]);
    }
  });
});

describe('every resource and prompt', () => {
  const read = async (person: Person, uri: string) =>
    clientOf(person)
      .readResource({ uri })
      .catch((error: unknown) => (error instanceof Error ? error.message : String(error)));
  const may = (person: Person, shows: readonly Secret[]) =>
    sorted(shows.filter((secret) => visible[person].includes(secret)));

  it('is walked, and so is whatever is added', async () => {
    const client = clientOf('stranger');
    const { resources } = await client.listResources();
    const { resourceTemplates } = await client.listResourceTemplates();
    const { prompts } = await client.listPrompts();
    expect(resources.map(({ uri }) => uri)).toContain('kb://index');
    // Skills are the same for everybody and come from the program.
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual([
      ...templates,
      'citewell://run/{run_id}/{name}',
      'skill://{+path}',
    ]);
    for (const path of ['..', '../../package.json', '/etc/passwd', 'answer-with-checked-citations/../../index.ts']) {
      expect(await read('stranger', `skill://${path}`)).toMatch(/not found/i);
    }
    expect(prompts.map(({ name }) => name).sort()).toEqual(Object.keys(promptArguments()).sort());
  });

  it('shows the files of Python runs to those who ran them', async () => {
    const { content } = await clientOf('owner').callTool({ name: 'python_executor', arguments: { code: '1' } });
    const uris = content.flatMap((block) => (block.type === 'resource_link' ? [block.uri] : []));
    expect(uris).toHaveLength(1);
    for (const uri of uris) {
      expect(JSON.stringify(await read('owner', uri))).toContain('made by Python');
      for (const person of ['member', 'stranger', 'superuser'] as const) {
        expect(await read(person, uri)).toMatch(/There is no file/);
      }
    }
  });

  it('shows each user only what they may see', async () => {
    const { own, shared, unshared, removed, chunk } = ids;
    for (const [uri, shows] of [
      ['kb://index', ['title', 'shared', 'unshared']],
      [`kb://documents/${own}`, ['ownText']],
      [`kb://documents/${shared}`, ['shared']],
      [`kb://documents/${unshared}`, ['unshared']],
      [`kb://documents/${removed}`, []],
      [`kb://documents/${own}/chunks/${chunk}`, ['ownText']],
      // An accessible document does not give access to inaccessible ones.
      [`kb://documents/${shared}/chunks/${chunk}`, []],
    ] as const) {
      for (const person of people) {
        expect([person, uri, sorted(shownIn(await read(person, uri)))]).toEqual([person, uri, may(person, shows)]);
      }
    }
  });

  it('lists to each user only what they may see', async () => {
    for (const person of people) {
      const listed = await clientOf(person).listResources();
      expect([person, sorted(shownIn(listed))]).toEqual([
        person,
        may(person, ['ownText', 'title', 'shared', 'unshared']),
      ]);
    }
  });

  it('completes for each user only what they may see', async () => {
    const { own = '', shared = '', unshared = '' } = ids;
    for (const person of people) {
      const known = {
        owner: [own, shared, unshared],
        superuser: [own, shared, unshared],
        member: [shared],
        stranger: [],
      };
      for (const ref of [
        ...templates.map((uri) => ({ type: 'ref/resource' as const, uri })),
        { type: 'ref/prompt' as const, name: 'summarize_document' },
      ]) {
        for (const value of ['', 'Report', 'beetle timber', own.slice(0, 6)]) {
          const { completion } = await clientOf(person).complete({ ref, argument: { name: 'document_id', value } });
          const foreign = completion.values.filter(
            (id) => [own, shared, unshared].includes(id) && !(known[person] as readonly string[]).includes(id),
          );
          expect([person, value, foreign]).toEqual([person, value, []]);
          const hidden = shownIn(completion).filter((secret) => !visible[person].includes(secret));
          expect([person, value, hidden]).toEqual([person, value, []]);
        }
      }
    }
  });

  it('has prompts that reveal nothing about their subject', async () => {
    for (const [name, given] of Object.entries(promptArguments())) {
      for (const person of people) {
        expect(shownIn(await clientOf(person).getPrompt({ name, arguments: given }))).toEqual([]);
      }
    }
  });
});

const templates = ['kb://documents/{document_id}', 'kb://documents/{document_id}/chunks/{chunk_id}'];

const promptArguments = (): Readonly<Record<string, Readonly<Record<string, string>>>> => ({
  answer_with_citations: { question: 'Where does the beetle live?' },
  research_question: { topic: 'beetles' },
  compare_documents: { first: ids['own'] ?? '', second: ids['shared'] ?? '' },
  summarize_document: { document_id: ids['own'] ?? '' },
  find_gaps: { topic: 'beetles' },
});
