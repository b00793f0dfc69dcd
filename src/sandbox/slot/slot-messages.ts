/** First message to a slot. */
export interface SlotStart {
  /** The native addon of isolated-vm. */
  readonly binding: string;
  /** The folder of the `pyodide` package. */
  readonly pyodide: string;
  /** Memory snapshot to start from; null starts Python from scratch. */
  readonly snapshot: string | null;
  /** Create and send a snapshot instead of waiting for requests. */
  readonly makesSnapshot: boolean;
  /** Files of the selected packages; see packages.ts. */
  readonly packages: readonly SlotPackage[];
  /** TZif files in base64 by time zone; only read without a snapshot. */
  readonly timeZones: Readonly<Record<string, string>>;
  /** 32 random bytes in hexadecimal: the source of all randomness in the isolate. */
  readonly seed: string;
  readonly isolateMegabytes: number;
  readonly residentBytes: number;
  /** Argument of `begin` in sandbox.py. */
  readonly harness: HarnessSettings;
}

export interface SlotPackage {
  readonly file: string;
  /** File name inside the sandbox. */
  readonly name: string;
  /** Name and version, for display. */
  readonly title: string;
  /** Size of the file. */
  readonly bytes: number;
  /** `archive` is added to the import path; `unpacked` contains native modules, which are loaded before untrusted code. */
  readonly kind: 'archive' | 'unpacked';
}

export interface HarnessSettings {
  readonly stdout: number;
  readonly stderr: number;
  /** Maximum characters of the value's repr. */
  readonly value: number;
  readonly files: number;
  readonly file_bytes: number;
  /** Maximum bytes of files that are reported to be kept. */
  readonly kept_bytes: number;
  /** Memory limit of Python objects, for messages. */
  readonly megabytes: number;
  readonly packages: readonly string[];
  readonly withheld: readonly string[];
}

/** A request to a slot; one at a time. */
export interface SlotRequest {
  /** Passed to Python unchanged. */
  readonly request: string;
  readonly milliseconds: number;
}

/** Messages of a slot. After a `fault` it is unusable. */
export type SlotMessage =
  | { readonly kind: 'ready' }
  /** The next frame is the snapshot. */
  | { readonly kind: 'snapshot' }
  | { readonly kind: 'reply'; readonly reply: string }
  | { readonly kind: 'fault'; readonly fault: SlotFault; readonly detail: string; readonly printed?: Printed };

/** What a call wrote until it was ended. */
export interface Printed {
  readonly stdout: string;
  readonly stderr: string;
}

export type SlotFault = 'timeout' | 'memory' | 'crash' | 'start';
