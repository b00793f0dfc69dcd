import { z } from 'zod';
import type { Json } from '../documents/document.ts';
import { type FolderChanges, MAX_KEPT_FILES } from './kept-files.ts';
import type { CapturedText, PythonResult, SandboxFile, SandboxLimits } from './sandbox.ts';

const MAX_NAME_LENGTH = 300;

// Everything from the sandbox is untrusted, even output of the harness.
const captured = (max: number) => z.string().transform((text) => text.slice(0, max));
const count = z.number().min(0).catch(0);

const writtenFile = z.object({ name: z.string().max(MAX_NAME_LENGTH), base64: z.base64() });
const names = z.array(captured(MAX_NAME_LENGTH)).max(MAX_KEPT_FILES);

const replySchema = ({ outputCharacters, outputFiles }: SandboxLimits) =>
  z.object({
    fault: z.enum(['memory', 'crash']).optional(),
    value: z
      .object({
        repr: captured(outputCharacters),
        type: captured(200),
        characters: count,
        json: z
          .string()
          .max(4 * outputCharacters + 1_000)
          .nullable()
          .catch(null),
      })
      .nullish(),
    stdout: captured(outputCharacters).default(''),
    stdout_characters: count.default(0),
    stderr: captured(outputCharacters).default(''),
    stderr_characters: count.default(0),
    error: z
      .object({
        type: captured(200),
        message: captured(2_000),
        line: z.number().int().positive().nullable().catch(null),
        traceback: captured(7_000),
      })
      .nullish(),
    exit_code: z.number().int().nullish(),
    milliseconds: count.default(0),
    files: z.array(writtenFile).max(outputFiles).default([]),
    changes: z
      .object({ changed: z.array(writtenFile).max(MAX_KEPT_FILES), removed: names, too_large: names })
      .nullish(),
    skipped: z
      .array(z.object({ name: captured(MAX_NAME_LENGTH), bytes: count, reason: captured(100) }))
      .max(20)
      .default([]),
  });

export interface ReadReply extends Omit<PythonResult, 'sessionLost' | 'milliseconds' | 'restoredFiles' | 'lostFiles'> {
  /** Changes to the working folder; present if the request asked for them. */
  readonly changes?: FolderChanges;
}

/** Parses the harness's reply; undefined if invalid, as when code has tampered with the harness. */
export function readReply(text: string, limits: SandboxLimits): ReadReply | undefined {
  const parsed = replySchema(limits).safeParse(parseJson(text));
  if (!parsed.success) return undefined;
  const { fault, value, error, exit_code, files, skipped, changes, ...streams } = parsed.data;
  const taken = new Set<string>();
  const named = files.map(decode).map(({ name, bytes }) => ({ name: toSafeName(name, taken), bytes }));
  const changed = (changes?.changed ?? []).map(decode);
  if (sizeOf(named) > limits.outputBytes || sizeOf(changed) > limits.keptBytes) return undefined;
  const json = value?.json == null ? undefined : parseJson(value.json);
  return {
    end: fault ?? (error ? 'exception' : exit_code == null ? 'finished' : 'exit'),
    stdout: withCount(streams.stdout, streams.stdout_characters),
    stderr: withCount(streams.stderr, streams.stderr_characters),
    files: named,
    skippedFiles: skipped.map(({ name, ...rest }) => ({ name: toSafeName(name, new Set()), ...rest })),
    ...(value && {
      value: {
        repr: value.repr,
        type: withoutLineBreaks(value.type),
        isTruncated: value.characters > value.repr.length,
        ...(json !== undefined && { json }),
      },
    }),
    ...(error && {
      error: {
        type: withoutLineBreaks(error.type),
        message: error.message,
        traceback: error.traceback,
        ...(error.line !== null && { line: error.line }),
      },
    }),
    ...(exit_code != null && { exitCode: exit_code }),
    ...(changes && { changes: { changed, removed: changes.removed, tooLarge: changes.too_large } }),
  };
}

function decode({ name, base64 }: z.output<typeof writtenFile>): SandboxFile {
  return { name, bytes: new Uint8Array(Buffer.from(base64, 'base64')) };
}

const sizeOf = (files: readonly SandboxFile[]): number => files.reduce((sum, { bytes }) => sum + bytes.byteLength, 0);

/** Replaces control characters, so that a name cannot inject lines into a result. */
const withoutLineBreaks = (text: string): string => text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '_');

/** `counted` is Python's count of code points before truncation. */
function withCount(text: string, counted: number): CapturedText {
  const shown = [...text].length;
  return { text, characters: Math.max(counted, shown), isTruncated: counted > shown };
}

const UNSAFE_CHARACTERS = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\\:*?"<>|]/gu;

/** Replaces unsafe characters, and appends a number if another file already has that name. */
export function toSafeName(name: string, taken: Set<string>): string {
  const parts = name
    .replace(UNSAFE_CHARACTERS, '_')
    .split('/')
    .map((part) => (part === '' || part === '.' || part === '..' ? '_' : part));
  const safe = parts
    .join('/')
    .slice(0, MAX_NAME_LENGTH - 10)
    .replace(/\/+$/, '')
    .toWellFormed();
  const dot = safe.lastIndexOf('.') > safe.lastIndexOf('/') + 1 ? safe.lastIndexOf('.') : safe.length;
  let unique = safe;
  for (let number = 2; taken.has(unique); number++) unique = `${safe.slice(0, dot)} (${number})${safe.slice(dot)}`;
  taken.add(unique);
  return unique;
}

/** A relative path without parent references, control characters and characters special to file systems. */
export function isSafeName(name: string): boolean {
  return (
    name.length > 0 &&
    name.length <= MAX_NAME_LENGTH &&
    name.search(UNSAFE_CHARACTERS) === -1 &&
    name.split('/').every((part) => part !== '' && part !== '.' && part !== '..')
  );
}

function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
