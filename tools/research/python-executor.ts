import { z } from 'zod';
import type { Json } from '../../src/documents/document.ts';
import { ServiceError } from '../../src/errors.ts';
import type { PythonResult, SandboxFile } from '../../src/sandbox/sandbox.ts';
import { describeRun } from '../../src/toolbox/describe-run.ts';
import { documentsAsFiles } from '../../src/toolbox/documents-as-files.ts';
import { documentId } from '../../src/toolbox/fields.ts';
import { mediaTypeOf } from '../../src/toolbox/media-type-of.ts';
import { defineTool } from '../../src/toolbox/tool.ts';
import type { ToolContext } from '../../src/toolbox/tool-context.ts';

/** Maximum characters of text files included in the structured result. */
const INLINE_CHARACTERS = 8_000;

// Arguments were parsed from JSON, so any value is valid.
const anyJson = z.custom<Json>();

const givenFile = z.object({
  name: z.string().describe('Relative path, e.g. data.csv'),
  text: z.string().optional().describe('What is in it'),
  base64: z.base64('expected base64').optional().describe('The same for a file that is no text'),
});

const variableName = z.string().regex(/^[A-Za-z_]\w{0,60}$/, 'expected names of variables');

export const pythonExecutor = defineTool({
  name: 'python_executor',
  title: 'Run Python',
  description:
    'Run Python 3.14 code in a sandbox, for exact calculation, counting, dates, parsing and simulation. Returns what it prints, the value of its last expression, errors with their line, and files it writes to out/ (SVG, CSV, PNG…). It has the whole standard library (math, statistics, datetime, decimal, re, csv, json, sqlite3, asyncio…) and no network, no threads, no subprocesses and no input(); numpy and pandas only where they were installed. Within a conversation or connection variables and files are kept from call to call. Hand documents in by identifier instead of copying their text.',
  input: z.object({
    code: z.string().min(1).describe('Python; end with an expression or print what is wanted'),
    inputs: z
      .record(variableName, anyJson)
      .default({})
      .describe('Values bound as variables, e.g. {"prices": [1.5, 2]}'),
    files: z
      .array(givenFile)
      .max(100)
      .default([])
      .describe('Files to write first, e.g. [{"name": "data.csv", "text": "a,b\\n1,2"}]'),
    documents: z
      .array(documentId)
      .max(20)
      .default([])
      .describe('Documents whose text the code gets: documents[0]["path"] is a text file, with title and pages beside'),
    chunks: z
      .array(z.string().min(1).max(64))
      .max(200)
      .default([])
      .describe('Passages of search results by chunk_id; the code gets passages[0]["text"]'),
    session_id: z
      .string()
      .regex(/^[\w.:-]{1,100}$/, 'expected letters, digits and _ . : -')
      .optional()
      .describe('Calls of one session share variables and files; a conversation or connection is one by itself'),
    reset: z.boolean().default(false).describe('Begin the session anew'),
    timeout_ms: z.number().int().min(100).max(600_000).optional().describe('Wall time; 10000 unless set otherwise'),
  }),
  output: z.object({
    ok: z.boolean(),
    kind: z.enum(['finished', 'exit', 'exception', 'timeout', 'memory', 'crash']),
    result: z.string().optional(),
    result_type: z.string().optional(),
    result_json: anyJson.optional(),
    result_truncated: z.boolean(),
    stdout: z.string(),
    stdout_chars: z.number().int(),
    stdout_truncated: z.boolean(),
    stderr: z.string(),
    stderr_truncated: z.boolean(),
    error: z
      .object({
        type: z.string(),
        message: z.string(),
        line: z.number().int().optional(),
        traceback: z.string(),
      })
      .optional(),
    exit_code: z.number().int().optional(),
    files: z.array(
      z.object({ name: z.string(), mime_type: z.string(), size: z.number().int(), text: z.string().optional() }),
    ),
    files_skipped: z.array(z.object({ name: z.string(), size: z.number(), reason: z.string() })),
    duration_ms: z.number().int(),
    session_lost: z.boolean(),
  }),
  annotations: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
  needs: ['sandbox'],
  deadline: 700_000,

  async execute(input, context) {
    const { sandbox, maxCharacters, signal } = context;
    if (sandbox === undefined) throw new ServiceError('not_configured', 'Python cannot be run here.');
    const mounted = await documentsAsFiles(input.documents, input.chunks, context);
    const session = sessionName(context, input.session_id);
    const result = await sandbox.run(
      {
        code: withoutFence(input.code),
        inputs: { ...mounted.variables, ...input.inputs },
        files: [...mounted.files, ...input.files.map(toFile)],
        ...(session !== undefined && { session }),
        reset: input.reset,
        ...(input.timeout_ms !== undefined && { milliseconds: input.timeout_ms }),
      },
      signal,
    );
    return {
      text: describeRun(result, { mounted: mounted.lines, isSession: session !== undefined, maxLength: maxCharacters }),
      structured: toStructured(result),
      sources: mounted.sources,
      files: result.files.map(({ name, bytes }) => ({ name: `out/${name}`, mediaType: mediaTypeOf(name), bytes })),
    };
  },
});

/**
 * Scopes a session name by conversation, connection or caller, so that callers can never share a session, whatever name
 * they choose.
 */
function sessionName({ conversationId, connection, caller = '' }: ToolContext, given?: string): string | undefined {
  if (conversationId !== undefined) return `conversation:${conversationId}:${given ?? ''}`;
  if (given !== undefined) return `named:${caller}:${given}`;
  return connection === undefined ? undefined : `connection:${caller}:${connection}`;
}

/** Removes a Markdown fence around code. */
function withoutFence(code: string): string {
  return /^\s*```(?:python|py)?[^\S\n]*\n(.*?)\n?```\s*$/s.exec(code)?.[1] ?? code;
}

function toFile({ name, text, base64 }: z.output<typeof givenFile>): SandboxFile {
  return { name, bytes: base64 === undefined ? Buffer.from(text ?? '') : Buffer.from(base64, 'base64') };
}

function toStructured(result: PythonResult) {
  const { value, error } = result;
  let room = INLINE_CHARACTERS;
  return {
    ok: result.end === 'finished' || (result.end === 'exit' && result.exitCode === 0),
    kind: result.end,
    ...(value && { result: value.repr, result_type: value.type }),
    ...(value?.json !== undefined && { result_json: value.json }),
    result_truncated: value?.isTruncated ?? false,
    stdout: result.stdout.text,
    stdout_chars: result.stdout.characters,
    stdout_truncated: result.stdout.isTruncated,
    stderr: result.stderr.text,
    stderr_truncated: result.stderr.isTruncated,
    ...(error && { error: { ...error } }),
    ...(result.exitCode !== undefined && { exit_code: result.exitCode }),
    files: result.files.map(({ name, bytes }) => {
      const mediaType = mediaTypeOf(name);
      const text =
        /^text\/|json|xml|svg/.test(mediaType) && bytes.byteLength <= room ? Buffer.from(bytes).toString() : undefined;
      room -= text?.length ?? 0;
      return { name: `out/${name}`, mime_type: mediaType, size: bytes.byteLength, ...(text !== undefined && { text }) };
    }),
    files_skipped: result.skippedFiles.map(({ name, bytes, reason }) => ({ name: `out/${name}`, size: bytes, reason })),
    duration_ms: Math.round(result.milliseconds),
    session_lost: result.sessionLost,
  };
}
