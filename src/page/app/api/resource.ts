import { useEffect, useState } from 'preact/hooks';

/** Data of a view: loading, loaded or failed. */
export type Resource<T> =
  | { readonly kind: 'loading' }
  | { readonly kind: 'loaded'; readonly value: T }
  | { readonly kind: 'failed'; readonly error: unknown };

export type ReloadableResource<T> = Resource<T> & { readonly reload: () => void };

/** Loads data when the view mounts and whenever one of `inputs` changes; aborts the previous load. */
export function useResource<T>(
  load: (signal: AbortSignal) => Promise<T>,
  inputs: readonly unknown[],
): ReloadableResource<T> {
  const [resource, setResource] = useState<Resource<T>>({ kind: 'loading' });
  const [round, setRound] = useState(0);
  useEffect(() => {
    const leaving = new AbortController();
    setResource((before) => (before.kind === 'loaded' ? before : { kind: 'loading' }));
    load(leaving.signal).then(
      (value) => {
        if (!leaving.signal.aborted) setResource({ kind: 'loaded', value });
      },
      (error: unknown) => {
        if (!leaving.signal.aborted) setResource({ kind: 'failed', error });
      },
    );
    return () => leaving.abort();
  }, [...inputs, round]);
  return { ...resource, reload: () => setRound((before) => before + 1) };
}
