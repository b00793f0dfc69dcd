/** Log for the index's background work; compatible with pino's logger. */
export interface ChromaLog {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
}
