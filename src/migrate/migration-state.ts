import { appendFile, mkdir, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { z } from 'zod';

const line = z.object({
  kind: z.enum(['user', 'collection', 'document', 'conversation']),
  /** Identifier on the source server. */
  from: z.string(),
  /** Identifier here; empty while it is being created, and not known yet. */
  to: z.string(),
  /** `begun` for conversations, which are created before their messages, and users, before their rights and password. */
  state: z.enum(['begun', 'done']),
});

type Line = z.output<typeof line>;

/** Log of the migrated items, in a file of lines, so that an interrupted migration resumes. */
export interface MigrationState {
  find(kind: Line['kind'], from: string): Line | undefined;
  /** On disk when it resolves. */
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
    async note(entry) {
      known.set(keyOf(entry.kind, entry.from), entry);
      await appendFile(file, `${start}${JSON.stringify(entry)}\n`, { flush: true, mode: 0o600 });
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
