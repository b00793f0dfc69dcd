import type { ErrorCode } from '../errors.ts';

/** Exit codes of the program. Scripts rely on them; `citewell --help` lists them. */
export const exitCodes = {
  ok: 0,
  failure: 1,
  /** Wrong arguments or configuration; nothing was attempted. */
  usage: 2,
  /** `ingest` succeeded for some items only. */
  partly: 3,
  /** Ctrl-C, as shells expect it: 128 + SIGINT. */
  interrupted: 130,
  /** 128 + SIGTERM. */
  terminated: 143,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** The exit code for a failed command; interruptions are recognised by signal, not by error. */
export function exitCodeFor(code: ErrorCode): ExitCode {
  return USAGE_ERRORS.has(code) ? exitCodes.usage : exitCodes.failure;
}

const USAGE_ERRORS: ReadonlySet<ErrorCode> = new Set(['invalid_request', 'invalid_field', 'unknown_model']);
