/** What a process sends when it attaches to the process that holds the data folder. */
export interface Attachment {
  /** Its command-line arguments after `mcp`. */
  readonly words: readonly string[];
  readonly cwd: string;
  /** Its environment variables, without secrets. */
  readonly env: Readonly<Record<string, string>>;
  /** Identifies the client's connection; the same after reattaching to another process. */
  readonly session: string;
}

/** Target of the CONNECT request, after which the connection carries the attachment and then the client's messages. */
export const ATTACH_TARGET = 'citewell-mcp:0';
/** Prefix of a line that is a JSON message for stderr rather than a line for the client. */
export const NOTE_MARK = '!';
/** Maximum bytes of a message from the client; texts to ingest may be long. */
export const MAX_MESSAGE_BYTES = 16_000_000;
