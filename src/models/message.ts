import type { PictureType } from '../shared/detect-picture.ts';

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  /** Parsed JSON; a string when the model did not write JSON, so that the tool can report it. */
  readonly arguments: unknown;
}

/** Reasoning that the provider wants back unchanged in the next turn; all but `text` is opaque. */
export interface ThinkingBlock {
  readonly text: string;
  /** Provider of the block; it is never sent to another one. */
  readonly provider?: string;
  readonly id?: string;
  readonly signature?: string;
  readonly redacted?: string;
}

/** An image. Models without image input reject the request or ignore it. */
export interface MessageImage {
  readonly mediaType: PictureType;
  /** Base64. */
  readonly data: string;
}

/** One message of a transcript. */
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
