/** A sound or video file. */
export interface Recording {
  readonly bytes: Uint8Array;
  /** Must have the extension of its format, by which servers recognise it. */
  readonly fileName: string;
  readonly mediaType: string;
}

/** Transcript of a recording. */
export interface Transcript {
  readonly text: string;
  /** In order; empty if the model reports no timestamps. */
  readonly segments: readonly {
    /** Seconds from the beginning. */
    readonly start: number;
    readonly end: number;
    readonly text: string;
    readonly speaker?: string;
  }[];
}

/** Turns speech into text. Throws ServiceError. */
export interface Transcriber {
  /** `<provider>/<model>`. */
  readonly name: string;
  transcribe(recording: Recording, signal: AbortSignal): Promise<Transcript>;
}

/** The error for a recording when no transcriber is configured. */
export const TRANSCRIBER_PROMPT =
  'Set CITEWELL_TRANSCRIBER to a model that transcribes, such as openai/whisper-1, or send a transcript of it as text';
