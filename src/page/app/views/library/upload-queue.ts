import { messageOf } from '../../api/request.ts';
import type { FoundFile } from './read-dropped.ts';
import { canRetry, type Remedy, remedyOfRefusal } from './remedy.ts';

/** State of an upload. */
export type UploadState =
  | { readonly kind: 'waiting' }
  | { readonly kind: 'sending' }
  /** The service is away; it is asked again until it is back. */
  | { readonly kind: 'disconnected' }
  | { readonly kind: 'working'; readonly stage: string; readonly done?: number; readonly total?: number }
  | { readonly kind: 'postponed'; readonly reason: string }
  | { readonly kind: 'ready'; readonly chunks: number | undefined }
  | { readonly kind: 'same' }
  | { readonly kind: 'failed'; readonly reason: string; readonly remedy: Remedy | null };

export interface Upload extends FoundFile {
  readonly key: number;
  readonly state: UploadState;
  readonly documentId?: string;
  /** Task of an accepted document; a failed upload is retried through it. */
  readonly taskId?: string;
}

/** Performs one upload and reports its states, the last of which is final. The signal aborts when it is given up. */
export type RunUpload = (
  upload: Upload,
  onUploadChange: (change: Partial<Pick<Upload, 'state' | 'documentId' | 'taskId'>>) => void,
  signal: AbortSignal,
) => Promise<void>;

const isOver = ({ state: { kind } }: Upload): boolean => kind !== 'waiting' && !isActive(kind);
const isActive = (kind: UploadState['kind']): boolean =>
  kind === 'sending' || kind === 'working' || kind === 'disconnected';

/** Whether leaving the page would lose the file. */
export const isUnsent = ({ state: { kind }, documentId }: Upload): boolean =>
  kind === 'waiting' || kind === 'sending' || (kind === 'disconnected' && documentId === undefined);

/** Queue of uploads with limited concurrency. `onChange` is called after every change. */
export class UploadQueue {
  readonly #uploads = new Map<number, Upload>();
  readonly #waiting: number[] = [];
  readonly #running = new Map<number, AbortController>();
  readonly #upload: RunUpload;
  readonly #onChange: () => void;
  readonly #concurrency: number;
  #lastKey = 0;

  constructor(run: RunUpload, onChange: () => void, concurrency = 3) {
    this.#upload = run;
    this.#onChange = onChange;
    this.#concurrency = concurrency;
  }

  get uploads(): readonly Upload[] {
    return [...this.#uploads.values()];
  }

  add(found: readonly FoundFile[]): void {
    for (const each of found) {
      this.#lastKey++;
      this.#uploads.set(this.#lastKey, { ...each, key: this.#lastKey, state: { kind: 'waiting' } });
      this.#waiting.push(this.#lastKey);
    }
    this.#next();
  }

  /** Retries a failed upload. */
  retry(key: number): void {
    const upload = this.#uploads.get(key);
    if (upload?.state.kind !== 'failed') return;
    this.#uploads.set(key, { ...upload, state: { kind: 'waiting' } });
    this.#waiting.push(key);
    this.#next();
  }

  /** Retries all failed uploads for which another attempt is offered. */
  retryFailed(): void {
    for (const upload of this.#uploads.values()) if (canBeRetried(upload)) this.retry(upload.key);
  }

  /** Removes finished and failed uploads. */
  clear(): void {
    for (const upload of this.#uploads.values()) if (isOver(upload)) this.#uploads.delete(upload.key);
    this.#onChange();
  }

  /** Cancels uploads that have not started, or wait for the service. */
  stop(): void {
    for (const key of this.#waiting.splice(0)) this.#uploads.delete(key);
    for (const [key, running] of this.#running) {
      if (this.#uploads.get(key)?.state.kind !== 'disconnected') continue;
      this.#uploads.delete(key);
      running.abort();
    }
    this.#onChange();
  }

  #next(): void {
    while (this.#running.size < this.#concurrency) {
      const key = this.#waiting.shift();
      const upload = key === undefined ? undefined : this.#uploads.get(key);
      if (upload === undefined) break;
      void this.#run(upload);
    }
    this.#onChange();
  }

  async #run(upload: Upload): Promise<void> {
    const onUploadChange: Parameters<RunUpload>[1] = (change) => {
      const now = this.#uploads.get(upload.key);
      if (now === undefined) return;
      this.#uploads.set(upload.key, { ...now, ...change });
      this.#onChange();
    };
    const running = new AbortController();
    this.#running.set(upload.key, running);
    onUploadChange({ state: { kind: 'sending' } });
    try {
      await this.#upload(upload, onUploadChange, running.signal);
    } catch (error) {
      onUploadChange({ state: { kind: 'failed', reason: messageOf(error), remedy: remedyOfRefusal(error) } });
    } finally {
      this.#running.delete(upload.key);
      this.#next();
    }
  }
}

export const canBeRetried = ({ state }: Upload): boolean => state.kind === 'failed' && canRetry(state.remedy);

export interface UploadCounts {
  readonly total: number;
  readonly over: number;
  readonly failed: number;
}

export function countUploads(uploads: readonly Upload[]): UploadCounts {
  return {
    total: uploads.length,
    over: uploads.filter(isOver).length,
    failed: uploads.filter(({ state }) => state.kind === 'failed').length,
  };
}

/** The uploads to list one by one: active ones, then failed ones, then the latest finished ones. */
export function shownUploads(uploads: readonly Upload[], max: number): readonly Upload[] {
  const rank = ({ state: { kind } }: Upload): number => {
    if (isActive(kind)) return 0;
    if (kind === 'failed' || kind === 'postponed') return 1;
    return kind === 'waiting' ? 3 : 2;
  };
  const order = (one: Upload, other: Upload): number => {
    const difference = rank(one) - rank(other);
    if (difference !== 0) return difference;
    return rank(one) === 2 ? other.key - one.key : one.key - other.key;
  };
  return uploads.toSorted(order).slice(0, max);
}
