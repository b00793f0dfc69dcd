import { raceAbort, startDeadline } from '../../src/shared/abort.ts';
import { type ClientEnvironment, type Connection, foreignClients } from './clients.ts';

// A child process that uses the server with one client over one transport, as a host does in a conversation. Writes the
// first problem to stderr.

export interface Drive extends ClientEnvironment {
  readonly client: string;
  readonly documentId: string;
  /** A sentence of the document. */
  readonly fact: string;
}

/** Time limit of one step. */
const STEP_MS = 40_000;
const TOOLS = ['search_file_knowledge', 'content', 'get_file_content', 'check_citations', 'corpus_status'];
const UNSUPPORTED = 'Elephants founded the city of Lyon.';

const { client, documentId, fact, ...environment } = JSON.parse(process.argv[2] ?? '') as Drive;
let connection: Connection | undefined;

const used = (): Connection => connection ?? expected('a connection', 'none');

const steps: Readonly<Record<string, () => Promise<void>>> = {
  async connect() {
    connection = await foreignClients[client]?.connect(environment);
  },
  async 'list tools'() {
    const names = await used().tools();
    const missing = TOOLS.filter((name) => !names.includes(name));
    if (missing.length > 0) expected(missing.join(', '), names.join(', '));
  },
  async search() {
    contains(await used().call('search_file_knowledge', { query: 'capital of France' }), fact, '[1]');
  },
  async 'read content'() {
    contains(await used().call('content', { document_id: documentId }), fact);
  },
  async 'check citations'() {
    const given = { answer: `${fact} ${UNSUPPORTED}`, document_ids: [documentId] };
    const got = await used().call('check_citations', given);
    contains(got, fact, UNSUPPORTED);
    // Some clients pass on the text content, others only the structured content.
    if (!/word for word|verbatim/.test(got)) expected('a statement that the document says', got);
    if (!/not_found/.test(got)) expected('a statement that nothing supports', got);
  },
  async 'see an error'() {
    // Some clients throw; others return the error as text.
    const text = await used().call('content', { document_id: '00000000-0000-4000-8000-000000000000' }).catch(String);
    if (!/No document/.test(text)) expected('an error that says what is missing', text);
  },
  async close() {
    await used().close();
  },
};

for (const [name, step] of Object.entries(steps)) {
  const deadline = startDeadline(STEP_MS, new AbortController().signal);
  try {
    await raceAbort(step(), deadline.signal, () => new Error(`no answer within ${STEP_MS / 1_000} s`));
  } catch (error) {
    console.error(`${name}: ${error instanceof Error ? error.message : String(error)}`);
    process.exit(1);
  } finally {
    deadline[Symbol.dispose]();
  }
}
process.exit(0);

function contains(text: string, ...parts: readonly string[]): void {
  for (const part of parts) if (!text.includes(part)) expected(part, text);
}

function expected(what: string, got: string): never {
  throw new Error(`expected ${what}, but it is: ${got.slice(0, 300)}`);
}
