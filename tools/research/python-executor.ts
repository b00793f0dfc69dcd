import { z } from 'zod';
import type { Json } from '../../src/documents/document.ts';
import { ServiceError } from '../../src/errors.ts';
import { defaultSandboxLimits } from '../../src/sandbox/default-limits.ts';
import type { CapturedText, PythonResult, PythonValue, SandboxFile } from '../../src/sandbox/sandbox.ts';
import { wholeCharacterEnd } from '../../src/shared/text.ts';
import { describeRun } from '../../src/toolbox/describe-run.ts';
import { documentsAsFiles } from '../../src/toolbox/documents-as-files.ts';
import { documentId, maxCharacters } from '../../src/toolbox/fields.ts';
import { madeFilePath } from '../../src/toolbox/made-file-path.ts';
import { isTextual, mediaTypeOf } from '../../src/toolbox/media-type-of.ts';
import { defineTool } from '../../src/toolbox/tool.ts';
import type { ToolContext } from '../../src/toolbox/tool-context.ts';

/** Default maximum characters of a result; MCP hosts truncate or refuse much longer ones. */
const MAX_CHARACTERS = 20_000;
/** Bytes of the input limit reserved for the list of documents and passages. */
const LISTING_BYTES = 200_000;

// Arguments were parsed from JSON, so every value is valid JSON.
const anyJson = z.custom<Json>();

const givenFile = z.object({
  name: z.string().describe('Relative path, e.g. data.csv'),
  text: z.string().optional().describe('Content of a text file'),
  base64: z.base64('expected base64').optional().describe('Content of a binary file, as base64'),
});

const variableName = z.string().regex(/^[A-Za-z_]\w{0,60}$/, 'expected names of variables');

export const pythonExecutor = defineTool({
  name: 'python_executor',
  title: 'Run Python',
  description:
    'Run Python 3.14 code in a sandbox, for exact calculation, counting, dates, parsing and simulation. Returns what it prints, the value of its last expression, errors with their line, and files it writes to out/ (SVG, CSV, PNG…). It has the whole standard library (math, statistics, datetime, decimal, re, csv, json, sqlite3, asyncio…) but no network, threads, subprocesses or input(); numpy, pandas and matplotlib are available only if they were installed (open figures are returned as PNG). Variables and files are kept between the calls of a conversation or connection. Pass documents by identifier instead of copying their text.',
  input: z.object({
    code: z
      .string()
      .min(1)
      .max(defaultSandboxLimits.codeCharacters)
      .describe('Python code; print the result, or end with an expression'),
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
      .describe(
        'Documents for the code: documents[0]["path"] is the path of the text, documents[0]["file"] of the original (CSV, XLSX, PDF…); title and pages are given too',
      ),
    chunks: z
      .array(z.string().min(1).max(64))
      .max(200)
      .default([])
      .describe('Passages of search results by chunk_id; available to the code as passages[0]["text"]'),
    session_id: z
      .string()
      .regex(/^[\w.:-]{1,100}$/, 'expected letters, digits and _ . : -')
      .optional()
      .describe(
        'Calls with the same session_id share variables and files (default: one session per conversation or connection)',
      ),
    reset: z.boolean().default(false).describe('Discard the variables and files of the session first'),
    max_characters: maxCharacters(MAX_CHARACTERS),
    timeout_ms: z
      .number()
      .int()
      .min(100)
      .max(600_000)
      .optional()
      .describe('Time limit in milliseconds (default 10000, at most 60000, unless the server is configured otherwise)'),
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
    run_id: z.string().optional().describe('Identifier under which the files can be downloaded'),
    files: z.array(
      z.object({
        name: z.string(),
        mime_type: z.string(),
        size: z.number().int(),
        link: z.string().optional().describe('Download URL'),
        text: z.string().optional(),
      }),
    ),
    files_skipped: z.array(z.object({ name: z.string(), size: z.number(), reason: z.string() })),
    duration_ms: z.number().int(),
    session_lost: z.boolean().describe('Whether the variables of earlier calls were lost'),
    files_restored: z.number().int().optional().describe('Number of files of earlier calls that were restored'),
  }),
  annotations: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
  needs: ['sandbox'],
  deadline: 700_000,
  timeoutAdvice:
    'If this was the first call, Python was still being prepared, which goes on: make the same call again. Otherwise ask for less at a time.',

  async execute(input, context) {
    const { sandbox, signal } = context;
    if (sandbox === undefined) throw new ServiceError('not_configured', 'Running Python is not available here.');
    const given = input.files.map(toFile);
    const inputBytes = given.reduce((sum, { bytes }) => sum + bytes.byteLength, JSON.stringify(input.inputs).length);
    const availableBytes = sandbox.limits.inputBytes - inputBytes - LISTING_BYTES;
    const mounted = await documentsAsFiles(input.documents, input.chunks, { ...context, availableBytes });
    const session = sessionName(context, input.session_id);
    const result = await sandbox.run(
      {
        code: withoutFence(input.code),
        inputs: { ...mounted.variables, ...input.inputs },
        files: [...mounted.files, ...given],
        ...(session !== undefined && { session }),
        reset: input.reset,
        user: context.caller ?? '',
        ...(input.timeout_ms !== undefined && {
          milliseconds: Math.min(input.timeout_ms, sandbox.limits.maxMilliseconds),
        }),
      },
      signal,
    );
    const files = result.files.map(({ name, bytes }) => ({
      name: `out/${name}`,
      mediaType: mediaTypeOf(name),
      size: bytes.byteLength,
      bytes,
    }));
    const runId = files.length === 0 ? undefined : await context.keepFiles?.(files);
    const linkTo = runId === undefined ? undefined : linksTo(runId, context);
    const maxLength = Math.min(input.max_characters, context.maxCharacters);
    return {
      text: describeRun(result, { mounted: mounted.lines, isSession: session !== undefined, maxLength, linkTo }),
      structured: { ...(runId !== undefined && { run_id: runId }), ...toStructured(result, maxLength, linkTo) },
      sources: mounted.sources,
      files: files.map((file) => ({ ...file, runId })),
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

/** Builds links to created files: absolute if `pageOrigin` is known, relative in an agent conversation. */
function linksTo(runId: string, { pageOrigin, conversationId }: ToolContext): ((name: string) => string) | undefined {
  if (pageOrigin === undefined && conversationId === undefined) return undefined;
  return (name) => `${pageOrigin ?? ''}${madeFilePath(runId, name)}`;
}

/** Removes a Markdown fence around code. */
function withoutFence(code: string): string {
  return /^\s*```(?:python|py)?[^\S\n]*\n(.*?)\n?```\s*$/s.exec(code)?.[1] ?? code;
}

function toFile({ name, text, base64 }: z.output<typeof givenFile>): SandboxFile {
  return { name, bytes: base64 === undefined ? Buffer.from(text ?? '') : Buffer.from(base64, 'base64') };
}

/** Limits each output to a fixed share of `maxLength`, so that the largest leaves room for the others. */
function toStructured(result: PythonResult, maxLength: number, linkTo?: (name: string) => string) {
  const { error } = result;
  const value = result.value && shortenValue(result.value, maxLength / 8);
  const stdout = shorten(result.stdout, maxLength / 4);
  const stderr = shorten(result.stderr, maxLength / 8);
  let available = maxLength / 4;
  return {
    ok: result.end === 'finished' || (result.end === 'exit' && result.exitCode === 0),
    kind: result.end,
    ...(value && { result: value.repr, result_type: value.type }),
    ...(value?.json !== undefined && { result_json: value.json }),
    result_truncated: value?.isTruncated ?? false,
    stdout: stdout.text,
    stdout_chars: stdout.characters,
    stdout_truncated: stdout.isTruncated,
    stderr: stderr.text,
    stderr_truncated: stderr.isTruncated,
    ...(error && { error: { ...error } }),
    ...(result.exitCode !== undefined && { exit_code: result.exitCode }),
    files: result.files.map(({ name, bytes }) => {
      const mediaType = mediaTypeOf(name);
      const text = isTextual(mediaType) && bytes.byteLength <= available ? Buffer.from(bytes).toString() : undefined;
      available -= text?.length ?? 0;
      return {
        name: `out/${name}`,
        mime_type: mediaType,
        size: bytes.byteLength,
        ...(linkTo && { link: linkTo(`out/${name}`) }),
        ...(text !== undefined && { text }),
      };
    }),
    files_skipped: result.skippedFiles.map(({ name, bytes, reason }) => ({ name: `out/${name}`, size: bytes, reason })),
    duration_ms: Math.round(result.milliseconds),
    session_lost: result.sessionLost,
    ...(result.sessionLost && { files_restored: result.restoredFiles }),
  };
}

function shorten({ text, characters, isTruncated }: CapturedText, max: number): CapturedText {
  const shown = text.slice(0, wholeCharacterEnd(text, Math.floor(max)));
  return { text: shown, characters, isTruncated: isTruncated || shown.length < text.length };
}

function shortenValue({ repr, json, type, isTruncated }: PythonValue, max: number): PythonValue {
  const shown = repr.slice(0, wholeCharacterEnd(repr, Math.floor(max)));
  const fits = json !== undefined && JSON.stringify(json).length <= max;
  return {
    type,
    repr: shown,
    isTruncated: isTruncated || shown.length < repr.length || (json !== undefined && !fits),
    ...(fits && { json }),
  };
}
