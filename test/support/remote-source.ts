import { defaultAdmin } from '../../src/access/principal.ts';
import { compose } from '../../src/compose/compose.ts';
import { newId } from '../../src/documents/ids.ts';
import { ServiceError } from '../../src/errors.ts';
import { localTarget } from '../../src/ingest/folders/local-target.ts';
import { maxBytesByName } from '../../src/ingest/folders/supported-files.ts';
import type { RemoteStep } from '../../src/ingest/sources/sync-parts.ts';
import { syncRemote } from '../../src/ingest/sources/sync-remote.ts';
import type { Listed, RemoteItem, SourceConnector } from '../../src/sources/connector.ts';
import { adaptersOver, type OpenStore, onlyEmbedder } from './adapters.ts';
import { direction, testSpace } from './store.ts';

export const SOURCE = 'papers';
const uriOf = (key: string) => `test://papers/${encodeURIComponent(key)}`;

/** A source whose files a test changes; with a cursor it lists the changes since, without one all files. */
export function sourceOfFiles(files: Readonly<Record<string, string>>) {
  const now = new Map(Object.entries(files));
  const uris = new Map<string, string>();
  const names = new Map<string, string>();
  /** Keys that are listed without a version. */
  const withoutVersion = new Set<string>();
  /** Keys whose files cannot be read, with the error. */
  const failing = new Map<string, ServiceError>();
  const log: string[] = [];
  const cursors: (string | undefined)[] = [];
  /** Keys in the order in which they changed. */
  let changes: string[] = [...now.keys()];
  const extra: Listed[] = [];
  let breaksOff = false;
  let listsChanges = true;
  let onRead: ((key: string) => void) | undefined;

  const itemOf = (key: string): RemoteItem => ({
    kind: 'item',
    key,
    version: withoutVersion.has(key)
      ? ''
      : [now.get(key) || 'empty', ...(names.has(key) ? [names.get(key)] : [])].join(' '),
    uri: uris.get(key) ?? uriOf(key),
    fileName: names.get(key) ?? key,
  });
  const connector: SourceConnector = {
    async *list(cursor) {
      cursors.push(cursor);
      if (cursor === undefined || !listsChanges) for (const key of now.keys()) yield itemOf(key);
      else {
        for (const key of new Set(changes.slice(Number(cursor)))) {
          yield now.has(key) ? itemOf(key) : { kind: 'removed', key };
        }
      }
      yield* extra;
      if (breaksOff) throw new ServiceError('provider_failed', 'The listing broke off.');
      const covers = cursor === undefined || !listsChanges ? 'all' : 'changes';
      yield { kind: 'end', covers, cursor: `${changes.length}` };
    },
    async read({ key }) {
      log.push(key);
      onRead?.(key);
      const failure = failing.get(key);
      if (failure !== undefined) throw failure;
      const text = now.get(key);
      if (text === undefined) throw new ServiceError('not_found', `There is no ${key}.`);
      return { bytes: new TextEncoder().encode(text) };
    },
  };

  return {
    connector,
    failing,
    unsaid: withoutVersion,
    extra,
    cursors,
    put(key: string, text: string) {
      now.set(key, text);
      changes.push(key);
    },
    remove(key: string) {
      now.delete(key);
      changes.push(key);
    },
    /** Changes the address of an item, but not its key. */
    move(key: string, uri: string) {
      uris.set(key, uri);
      changes.push(key);
    },
    /** Changes the file name of an item, but not its key. */
    rename(key: string, name: string) {
      names.set(key, name);
      changes.push(key);
    },
    breakOff(does: boolean) {
      breaksOff = does;
    },
    listAll() {
      listsChanges = false;
    },
    forgetChanges() {
      changes = [];
    },
    onRead(listener: (key: string) => void) {
      onRead = listener;
    },
    /** Keys read since the last call. */
    reads: () => log.splice(0),
  };
}

export type FilesSource = ReturnType<typeof sourceOfFiles>;

interface SyncOptions {
  readonly isFull?: boolean;
  readonly keepDeleted?: boolean;
  readonly signal?: AbortSignal;
  readonly limit?: number;
  readonly onListed?: (each: Listed) => void;
  /** Milliseconds since the epoch. */
  readonly now?: number;
}

/** Adds the source, unless it is there. Of a source that is not, nothing is stored. */
export async function addRemoteSource(records: OpenStore['followed']): Promise<void> {
  if ((await records.list()).some(({ id }) => id === SOURCE)) return;
  await records.add({
    id: SOURCE,
    ownerId: defaultAdmin.userId,
    collectionIds: [],
    createdAt: new Date().toISOString(),
    lastSync: null,
    location: {
      kind: 'remote',
      type: 's3',
      address: 'test://papers',
      settings: {},
      keepDeleted: false,
      everyMinutes: 60,
    },
  });
}

/** Synchronises one source over a store, with the services of the product. */
export async function followOver(store: OpenStore) {
  const embed = async (texts: readonly string[]) => texts.map((text) => direction(text.length));
  const embedders = onlyEmbedder({ name: 'test/angles', isLexical: true, space: async () => testSpace, embed });
  const services = await compose(adaptersOver(store, { embedders })).start();
  const { userId } = defaultAdmin;
  const target = localTarget(
    { userId, collectionIds: async () => [] },
    { corpus: services.corpus, ingestor: services.ingestor, sources: store.sources },
  );
  const { followed: records } = store;
  await addRemoteSource(records);

  async function* steps({ connector }: FilesSource, options: SyncOptions = {}): AsyncGenerator<RemoteStep, void> {
    const { isFull = false, keepDeleted = false, signal = AbortSignal.timeout(60_000), limit, now, onListed } = options;
    yield* syncRemote({
      id: SOURCE,
      pass: newId(),
      connector,
      records,
      target,
      isFull,
      keepDeleted,
      signal,
      maxBytesOf: maxBytesByName,
      isSupported: (name: string) => !name.endsWith('.bin'),
      ...(limit !== undefined && { limit }),
      ...(onListed !== undefined && { onListed }),
      ...(now !== undefined && { now: () => now }),
    });
  }
  return {
    records,
    target,
    services,
    steps,
    /** Runs one synchronisation and returns the sorted item names by outcome. */
    async sync(source: FilesSource, options?: SyncOptions): Promise<Record<string, string[]>> {
      const done: Record<string, string[]> = {};
      for await (const { outcome, name } of steps(source, options)) done[outcome] = [...(done[outcome] ?? []), name];
      for (const names of Object.values(done)) names.sort();
      return done;
    },
    cursor: () => records.cursorOf(SOURCE),
    async failures() {
      const { items } = await records.latestFailures(SOURCE, 100);
      return items.map(({ key, reason, tries }) => `${key}: ${reason} (${tries})`).sort();
    },
    async titles() {
      const found = await target.documentsBelow({ prefix: 'test://', limit: 1000 });
      return found.map(({ source }) => source.replace('test://papers/', ''));
    },
  };
}
