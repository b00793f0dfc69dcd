import type { Json } from '../documents/document.ts';

/**
 * Runs Python that nobody vouches for. What the code does wrong is part of the result; a ServiceError says that it was
 * not run: `rate_limited` when no slot became free in time, `not_configured` when Python cannot be started here,
 * `invalid_request` or `too_large` when the request goes beyond the limits. Rejects with the signal's reason when it
 * is aborted, which also ends the code.
 */
export interface Sandbox {
  readonly limits: SandboxLimits;
  run(request: PythonRequest, signal: AbortSignal): Promise<PythonResult>;
  /** Ends every slot. */
  close(): Promise<void>;
}

export interface PythonRequest {
  readonly code: string;
  /** Bound as variables of these names, and all together as `inputs`. */
  readonly inputs: Readonly<Record<string, Json>>;
  /** Written below the working folder before the code runs. */
  readonly files: readonly SandboxFile[];
  /** Calls of one session share their variables and files, and run one after the other. Left out, nothing is kept. */
  readonly session?: string;
  /** Begin the session anew. */
  readonly reset?: boolean;
  /** Wall time; the limits' own when left out. */
  readonly milliseconds?: number;
}

export interface SandboxFile {
  /** Relative, with `/` between folders. */
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** How a call ended: `exit` is SystemExit; the last three ended the slot as well, and with it the session. */
export type PythonEnd = 'finished' | 'exit' | 'exception' | 'timeout' | 'memory' | 'crash';

export interface PythonResult {
  readonly end: PythonEnd;
  /** Of the last expression; undefined when there is none or when it is None. */
  readonly value?: PythonValue;
  readonly stdout: CapturedText;
  readonly stderr: CapturedText;
  readonly error?: PythonError;
  readonly exitCode?: number;
  /** What the code left or changed below `out/`. */
  readonly files: readonly SandboxFile[];
  /** What else it left there, and why it is not among the files. */
  readonly skippedFiles: readonly { readonly name: string; readonly bytes: number; readonly reason: string }[];
  /** Wall time of the call without waiting for a slot. */
  readonly milliseconds: number;
  /** True when variables and files of the session's earlier calls are gone, whether by this call or before it. */
  readonly sessionLost: boolean;
}

export interface PythonValue {
  readonly repr: string;
  readonly type: string;
  readonly isTruncated: boolean;
  /** The same as JSON, when that says all of it. */
  readonly json?: Json;
}

export interface CapturedText {
  readonly text: string;
  /** How many characters there were. */
  readonly characters: number;
  readonly isTruncated: boolean;
}

export interface PythonError {
  /** The exception's name, with its module unless built in. */
  readonly type: string;
  readonly message: string;
  /** Of the code of this call. */
  readonly line?: number;
  /** The frames of the code itself, without those of libraries. */
  readonly traceback: string;
}

export interface SandboxLimits {
  /** Wall time when a call names none, and at most. */
  readonly milliseconds: number;
  readonly maxMilliseconds: number;
  /** What Python's objects may take. */
  readonly pythonMegabytes: number;
  /** What the whole process of a slot may take. */
  readonly processMegabytes: number;
  readonly codeCharacters: number;
  /** Kept of stdout, of stderr and of a value's repr, each. */
  readonly outputCharacters: number;
  /** Bytes of all files and inputs handed in with a call. */
  readonly inputBytes: number;
  readonly outputFiles: number;
  /** Bytes of all files handed back by a call. */
  readonly outputBytes: number;
  readonly slots: number;
  /** Calls that may wait for a slot, and for how long. */
  readonly queued: number;
  readonly queuedMilliseconds: number;
  /** After that long without a call a session or a spare slot is ended. */
  readonly idleMilliseconds: number;
}
