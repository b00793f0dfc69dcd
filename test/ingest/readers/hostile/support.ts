import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ServiceError } from '../../../../src/errors.ts';
import type { DocumentReaders } from '../../../../src/ingest/document-readers.ts';
import { createPreparationWorkers } from '../../../../src/ingest/prepare-in-worker.ts';
import { detectType } from '../../../../src/ingest/readers/detect-type.ts';

export interface HostileFile {
  /** Completes the title "a file …". */
  readonly title: string;
  readonly fileName: string;
  readonly make: () => Uint8Array;
  /** Expected outcome; `either` when both are acceptable. */
  readonly outcome: 'read' | 'refused' | 'either';
  /** What the text, or the reason, must and must not contain. */
  readonly says?: RegExp;
  readonly saysNot?: RegExp;
  /** How long it may take on a machine of 2026; default 20. */
  readonly seconds?: number;
}

export type Outcome =
  | { readonly kind: 'read'; readonly text: string; readonly chunks: number }
  | { readonly kind: 'refused'; readonly code: ServiceError['code']; readonly reason: string };

const SLOWER_MACHINE = 4;
const GOOD = { fileName: 'good.txt', bytes: new TextEncoder().encode('Boats leave at nine.') };

/** Reads files in the reading processes of the service, with its memory limits and a time limit of its own. */
export function describeHostileFiles(kind: string, files: readonly HostileFile[]): void {
  describe(kind, () => {
    let workers: DocumentReaders | undefined;
    beforeAll(() => {
      workers = createPreparationWorkers({ workers: 1, timeoutMs: 240_000, memoryMb: 1_024 });
    });
    afterAll(() => workers?.close());
    const attempt = (fileName: string, bytes: Uint8Array): Promise<Outcome> => {
      if (workers === undefined) throw new Error('not started');
      return readThrough(workers, fileName, bytes);
    };

    it.each(files.map((file) => [file.title, file] as const))('%s', async (_, file) => {
      const bytes = file.make();
      const started = performance.now();
      const outcome = await attempt(file.fileName, bytes);
      const seconds = (performance.now() - started) / 1_000;
      const said = outcome.kind === 'read' ? outcome.text : outcome.reason;
      if (file.outcome !== 'either') expect(outcome.kind, said.slice(0, 500)).toBe(file.outcome);
      if (file.says !== undefined) expect(said).toMatch(file.says);
      if (file.saysNot !== undefined) expect(said).not.toMatch(file.saysNot);
      expect(seconds).toBeLessThan(SLOWER_MACHINE * (file.seconds ?? 20));
      // The process continues to work.
      expect(await attempt(GOOD.fileName, GOOD.bytes)).toMatchObject({ kind: 'read', text: 'Boats leave at nine.' });
    });
  });
}

/** Reads as ingestion does. An error message must be fit for users: no stack trace, no internal error, no time-out. */
export async function readThrough(workers: DocumentReaders, fileName: string, bytes: Uint8Array): Promise<Outcome> {
  try {
    const { type } = await detectType({ bytes, fileName });
    const job = { bytes, fileName, type, content: { kind: 'file' }, split: {}, skipSummary: false } as const;
    const { text, chunks } = await workers.prepare(job, new AbortController().signal);
    for (const { start, end, text: chunk } of chunks) expect(text.slice(start, end)).toBe(chunk);
    return { kind: 'read', text, chunks: chunks.length };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    expect(['invalid_request', 'too_large', 'unsupported_type']).toContain(error.code);
    expect(error.message).toContain(fileName);
    expect(error.message).not.toMatch(/\bat .*:\d+:\d+|undefined|\[object|Error:/);
    return { kind: 'refused', code: error.code, reason: error.message };
  }
}
