/** Where the index reports what it does by itself; pino's logger fits. */
export interface ChromaLog {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
}
