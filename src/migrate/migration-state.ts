import { appendFile, mkdir, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { z } from 'zod';

const line = z.object({
  kind: z.enum(['user', 'collection', 'document', 'conversation']),
  /** Identifier on the source server. */
  from: z.string(),
  /** Identifier on the target; empty while the item is being created. */
  to: z.string(),
  /** `begun`: a conversation without all its messages, or a user without permissions and password. */
  state: z.enum(['begun', 'done']),
});

type Line = z.output<typeof line>;

/** Log of the migrated items in a JSON Lines file, so that an interrupted migration can resume. */
export interface MigrationState {
  find(kind: Line['kind'], from: string): Line | undefined;
  /** Whether an item was copied to this identifier, also in part. */
  isTarget(kind: Line['kind'], to: string): boolean;
  /**
   * Appends an entry. It is flushed to disk when the promise resolves, except for documents: a document whose entry is
   * lost in a power failure is found on the target by its identifier.
   */
  note(entry: Line): Promise<void>;
}

export async function openMigrationState(file: string): Promise<MigrationState> {
  await mkdir(dirname(file), { recursive: true });
  const known = new Map<string, Line>();
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return '';
    throw error;
  });
  for (const each of text.split('\n')) {
    const read = readLine(each);
    if (read !== undefined) known.set(keyOf(read.kind, read.from), read);
  }
  // A line truncated by a crash must not corrupt the next one.
  let start = text === '' || text.endsWith('\n') ? '' : '\n';
  return {
    find: (kind, from) => known.get(keyOf(kind, from)),
    isTarget: (kind, to) => known.values().some((each) => each.kind === kind && each.to === to),
    async note(entry) {
      known.set(keyOf(entry.kind, entry.from), entry);
      await appendFile(file, `${start}${JSON.stringify(entry)}\n`, { flush: entry.kind !== 'document', mode: 0o600 });
      start = '';
    },
  };
}

const keyOf = (kind: string, from: string): string => `${kind} ${from}`;

function readLine(text: string): Line | undefined {
  if (text === '') return undefined;
  try {
    return line.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
