import { ServiceError } from '../../errors.ts';
import type { VectorCollection, VectorHit, VectorIndex, VectorRecord } from '../vector-index.ts';

/** An in-memory VectorIndex that compares every vector. */
export interface MemoryVectorIndex extends VectorIndex {
  /** Makes every call fail, as if the server of the index were down. */
  simulateOutage(): void;
  /** Answers again, `empty` after data loss; notifies the listeners except with `silently`. */
  endOutage(how: 'intact' | 'empty' | 'silently'): void;
}

export function memoryVectorIndex(): MemoryVectorIndex {
  const collections = new Map<string, MemoryCollection>();
  const listeners: (() => void)[] = [];
  let isUp = true;
  const check = () => {
    if (!isUp) throw new ServiceError('store_failed', 'The vector index is down.');
  };

  return {
    isOurs: true,
    async open(name, dimensions) {
      check();
      const known = collections.get(name);
      if (known === undefined) collections.set(name, { dimensions, vectors: new Map() });
      else if (known.dimensions !== dimensions) throw wrongLength(name, known.dimensions, dimensions);
      return openCollection(name, dimensions, () => {
        check();
        const found = collections.get(name);
        if (found === undefined) throw new ServiceError('store_failed', `The collection "${name}" is gone.`);
        return found.vectors;
      });
    },
    async drop(name) {
      check();
      collections.delete(name);
    },
    async list() {
      check();
      return [...collections.keys()];
    },
    isHealthy: async () => isUp,
    onRecovered(listener) {
      listeners.push(listener);
    },
    async close() {
      isUp = false;
    },
    simulateOutage() {
      isUp = false;
    },
    endOutage(how) {
      isUp = true;
      if (how === 'empty') for (const { vectors } of collections.values()) vectors.clear();
      if (how !== 'silently') for (const listener of listeners) listener();
    },
  };
}

interface MemoryCollection {
  readonly dimensions: number;
  readonly vectors: Map<number, Float32Array>;
}

function openCollection(
  name: string,
  dimensions: number,
  vectorsNow: () => Map<number, Float32Array>,
): VectorCollection {
  const checkLength = ({ length }: Float32Array) => {
    if (length !== dimensions) throw wrongLength(name, dimensions, length);
  };
  return {
    async upsert(records: readonly VectorRecord[]) {
      const vectors = vectorsNow();
      for (const { vector } of records) checkLength(vector);
      for (const { key, vector } of records) vectors.set(key, vector.slice());
    },
    async remove(keys) {
      const vectors = vectorsNow();
      for (const key of keys) vectors.delete(key);
    },
    async nearest(vector, limit, signal) {
      const vectors = vectorsNow();
      checkLength(vector);
      if (signal?.aborted) throw new ServiceError('cancelled', 'The search was cancelled.', { cause: signal.reason });
      const hits: VectorHit[] = [];
      for (const [key, other] of vectors) hits.push({ key, distance: cosineDistance(vector, other) });
      return hits.sort((one, two) => one.distance - two.distance || one.key - two.key).slice(0, limit);
    },
    clear: async () => vectorsNow().clear(),
    count: async () => vectorsNow().size,
    keys: async ({ offset, limit }) => [...vectorsNow().keys()].slice(offset, offset + limit),
  };
}

function cosineDistance(one: Float32Array, two: Float32Array): number {
  let dot = 0;
  let oneSquared = 0;
  let twoSquared = 0;
  for (let index = 0; index < one.length; index++) {
    const a = one[index] ?? 0;
    const b = two[index] ?? 0;
    dot += a * b;
    oneSquared += a * a;
    twoSquared += b * b;
  }
  const lengths = Math.sqrt(oneSquared * twoSquared);
  return lengths === 0 ? 1 : 1 - dot / lengths;
}

function wrongLength(name: string, expected: number, found: number): ServiceError {
  const message = `The collection "${name}" holds vectors of ${expected} dimensions, not of ${found}.`;
  return new ServiceError('store_failed', message);
}
