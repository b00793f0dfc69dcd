import type { Json } from '../documents/document.ts';

/**
 * Runs untrusted Python code. Errors in the code are part of the result. Throws a ServiceError if the code was not run:
 * `rate_limited` if no slot became free in time, `not_configured` if Python cannot be started, `invalid_request` or
 * `too_large` if the request exceeds the limits. Rejects with the signal's reason on abort, which also ends the code.
 */
export interface Sandbox {
  readonly limits: SandboxLimits;
  run(request: PythonRequest, signal: AbortSignal): Promise<PythonResult>;
  /** Current load; omitted by implementations that cannot report it. */
  occupancy?(): SandboxOccupancy;
  /** Ends all slots. */
  close(): Promise<void>;
}

export interface SandboxOccupancy {
  /** Processes that may run at the same time. */
  readonly slots: number;
  /** Processes that are running a call, and idle ones, which hold a session's state or serve as a spare. */
  readonly busy: number;
  readonly idle: number;
  /** Calls that wait for a slot. */
  readonly waiting: number;
}

export interface PythonRequest {
  readonly code: string;
  /** Available as variables of these names, and as the dictionary `inputs`. */
  readonly inputs: Readonly<Record<string, Json>>;
  /** Written to the working folder before the code runs. */
  readonly files: readonly SandboxFile[];
  /** Calls with the same session share variables and files and run one at a time. Without it, no state is kept. */
  readonly session?: string;
  /** Starts the session from scratch, even while a call of it is running. */
  readonly reset?: boolean;
  /** Slots are shared evenly among users. */
  readonly user?: string;
  /** Time limit (wall clock); default from the limits. */
  readonly milliseconds?: number;
}

export interface SandboxFile {
  /** Relative path with `/` as separator. */
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** How a call ended: `exit` is SystemExit; the last three also ended the slot and thus the session. */
export type PythonEnd = 'finished' | 'exit' | 'exception' | 'timeout' | 'memory' | 'crash';

export interface PythonResult {
  readonly end: PythonEnd;
  /** Value of the last expression; undefined if there is none or if it is None. */
  readonly value?: PythonValue;
  readonly stdout: CapturedText;
  readonly stderr: CapturedText;
  readonly error?: PythonError;
  readonly exitCode?: number;
  /** Files created or changed below `out/`. */
  readonly files: readonly SandboxFile[];
  /** Files below `out/` that are not returned, and why. */
  readonly skippedFiles: readonly { readonly name: string; readonly bytes: number; readonly reason: string }[];
  /** Wall-clock time without waiting for a slot. */
  readonly milliseconds: number;
  /** True if variables of earlier calls of the session are lost, through this call or before it. */
  readonly sessionLost: boolean;
  /** Number of files of earlier calls restored after the loss of a slot, to this call or the next one. */
  readonly restoredFiles: number;
  /** Names of files of earlier calls that could not be restored, because they were too large to keep. */
  readonly lostFiles: readonly string[];
}

export interface PythonValue {
  readonly repr: string;
  readonly type: string;
  readonly isTruncated: boolean;
  /** The value as JSON, if it can be represented without loss. */
  readonly json?: Json;
}

export interface CapturedText {
  readonly text: string;
  /** Length before truncation. */
  readonly characters: number;
  readonly isTruncated: boolean;
}

export interface PythonError {
  /** Exception class, with its module unless built-in. */
  readonly type: string;
  readonly message: string;
  /** Line in the code of this call. */
  readonly line?: number;
  /** Frames of the code itself, without those of libraries. */
  readonly traceback: string;
}

export interface SandboxLimits {
  /** Default and maximum time limit (wall clock). */
  readonly milliseconds: number;
  readonly maxMilliseconds: number;
  /** Memory limit of Python objects. */
  readonly pythonMegabytes: number;
  /** Memory limit of the whole slot process. */
  readonly processMegabytes: number;
  readonly codeCharacters: number;
  /** Maximum characters kept of stdout, stderr and the value's repr, each. */
  readonly outputCharacters: number;
  /** Maximum bytes of all files and inputs of a call. */
  readonly inputBytes: number;
  readonly outputFiles: number;
  /** Maximum bytes of all files returned by a call. */
  readonly outputBytes: number;
  /** Maximum bytes of files of a session that outlive its slot. */
  readonly keptBytes: number;
  readonly slots: number;
  /** Maximum number of calls waiting for a slot, and how long they wait. */
  readonly queued: number;
  readonly queuedMilliseconds: number;
  /** Idle time after which a session or the spare slot is ended. */
  readonly idleMilliseconds: number;
}
