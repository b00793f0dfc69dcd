/** What a slot is told first. */
export interface SlotStart {
  /** The compiled part of isolated-vm. */
  readonly binding: string;
  /** The folder of the `pyodide` package. */
  readonly pyodide: string;
  /** Interpreter memory to begin from; null starts Python from nothing. */
  readonly snapshot: string | null;
  /** Make a snapshot and send it, instead of waiting for requests. */
  readonly makesSnapshot: boolean;
  /** Files of packages, already chosen; see packages.ts. */
  readonly packages: readonly SlotPackage[];
  /** Time zone → its TZif file in base64; only read when there is no snapshot. */
  readonly timeZones: Readonly<Record<string, string>>;
  /** 32 random bytes, hexadecimal: where all randomness in the isolate comes from. */
  readonly seed: string;
  readonly isolateMegabytes: number;
  readonly residentBytes: number;
  /** What `begin` of sandbox.py is told. */
  readonly harness: HarnessSettings;
}

export interface SlotPackage {
  readonly file: string;
  /** The file's name inside of the sandbox. */
  readonly name: string;
  /** Name and version, for people. */
  readonly title: string;
  /** `archive` is put on the import path as it is; `unpacked` holds compiled modules, which are loaded before strangers' code. */
  readonly kind: 'archive' | 'unpacked';
}

export interface HarnessSettings {
  readonly stdout: number;
  readonly stderr: number;
  /** Characters of the value's repr. */
  readonly value: number;
  readonly files: number;
  readonly file_bytes: number;
  /** What Python has for its objects, for messages. */
  readonly megabytes: number;
  readonly packages: readonly string[];
  readonly withheld: readonly string[];
}

/** What a slot is asked, one at a time. */
export interface SlotRequest {
  /** Handed to Python as it is. */
  readonly request: string;
  readonly milliseconds: number;
}

/** What a slot says. After a `fault` it is of no more use. */
export type SlotMessage =
  | { readonly kind: 'ready' }
  /** The next frame is the snapshot itself. */
  | { readonly kind: 'snapshot' }
  | { readonly kind: 'reply'; readonly reply: string }
  | { readonly kind: 'fault'; readonly fault: SlotFault; readonly detail: string };

export type SlotFault = 'timeout' | 'memory' | 'crash' | 'start';
