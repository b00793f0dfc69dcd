export interface ToolCall {
  readonly id: string;
  readonly name: string;
  /** As parsed from the model's JSON; a string when it was not JSON, so that the tool can say so. */
  readonly arguments: unknown;
}

/** Reasoning a provider wants back unchanged on the next turn; all but `text` is opaque. */
export interface ThinkingBlock {
  readonly text: string;
  /** Provider whose block this is. It is sent back to no other, which could not read it. */
  readonly provider?: string;
  readonly id?: string;
  readonly signature?: string;
  readonly redacted?: string;
}

/** A picture for a model that takes them; others refuse the request or leave it out of sight. */
export interface MessageImage {
  readonly mediaType: 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp';
  /** In Base64. */
  readonly data: string;
}

/** What a model reads. A transcript is a list of these. */
export type Message =
  | { readonly role: 'system'; readonly text: string }
  | { readonly role: 'user'; readonly text: string; readonly images?: readonly MessageImage[] }
  | {
      readonly role: 'assistant';
      readonly text: string;
      readonly toolCalls?: readonly ToolCall[];
      readonly thinking?: readonly ThinkingBlock[];
    }
  | {
      readonly role: 'tool';
      readonly callId: string;
      readonly name: string;
      readonly text: string;
      readonly isError: boolean;
    };
