import { useEffect, useState } from 'preact/hooks';

/** Data of a view: loading, loaded or failed. */
export type Resource<T> =
  | { readonly kind: 'loading' }
  | { readonly kind: 'loaded'; readonly value: T }
  | { readonly kind: 'failed'; readonly error: unknown };

export type ReloadableResource<T> = Resource<T> & {
  readonly reload: () => void;
  /** Whether the value or failure belongs to earlier inputs; that of the present ones is still loading. */
  readonly isPrevious: boolean;
};

/** Loads data when the view mounts and whenever one of `inputs` changes; aborts the previous load. */
export function useResource<T>(
  load: (signal: AbortSignal) => Promise<T>,
  inputs: readonly unknown[],
): ReloadableResource<T> {
  const [resource, setResource] = useState<Resource<T>>({ kind: 'loading' });
  const [loadedFor, setLoadedFor] = useState(inputs);
  const [round, setRound] = useState(0);
  useEffect(() => {
    const leaving = new AbortController();
    const settle = (next: Resource<T>): void => {
      if (leaving.signal.aborted) return;
      setResource(next);
      setLoadedFor(inputs);
    };
    setResource((before) => (before.kind === 'loaded' ? before : { kind: 'loading' }));
    load(leaving.signal).then(
      (value) => settle({ kind: 'loaded', value }),
      (error: unknown) => settle({ kind: 'failed', error }),
    );
    return () => leaving.abort();
  }, [...inputs, round]);
  const isPrevious = inputs.some((input, index) => input !== loadedFor[index]);
  return { ...resource, isPrevious, reload: () => setRound((before) => before + 1) };
}
