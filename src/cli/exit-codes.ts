import type { ErrorCode } from '../errors.ts';

/** What the process says to the shell. Scripts rely on these; they are listed under `citewell --help`. */
export const exitCodes = {
  ok: 0,
  failure: 1,
  /** Wrong arguments or a wrong configuration: nothing was tried. */
  usage: 2,
  /** `ingest` took in some of what it was given, but not all. */
  partly: 3,
  /** Ctrl-C, as shells expect it: 128 + SIGINT. */
  interrupted: 130,
  /** 128 + SIGTERM. */
  terminated: 143,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** The exit code that fits a failed command; interruptions are told by the signal and not by the error. */
export function exitCodeFor(code: ErrorCode): ExitCode {
  return code === 'invalid_request' || code === 'invalid_field' ? exitCodes.usage : exitCodes.failure;
}
