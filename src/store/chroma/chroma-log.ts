/** Log for the index's background work; pino's logger fits. */
export interface ChromaLog {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
}
