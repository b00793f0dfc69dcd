/** What a process says when it attaches to the one that holds the data folder. */
export interface Attachment {
  /** The words of its command line after `mcp`. */
  readonly words: readonly string[];
  readonly cwd: string;
  /** Variables of its environment, without secrets. */
  readonly env: Readonly<Record<string, string>>;
  /** Identifies the connection of its client, also to the next process that it attaches to. */
  readonly session: string;
}

/** Target of the CONNECT request, after which the connection carries the attachment and then the client's messages. */
export const ATTACH_TARGET = 'citewell-mcp:0';
/** Begins a line that is a message for stderr, as JSON, among the lines for the client. */
export const NOTE_MARK = '!';
/** Maximum bytes of a message of the client; texts to ingest may be long. */
export const MAX_MESSAGE_BYTES = 16_000_000;
