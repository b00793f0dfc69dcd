import { useEffect, useRef, useState } from 'preact/hooks';
import type { Listed } from '../../api/request.ts';

export interface Pages<T> {
  readonly items: readonly T[];
  /** Undefined until the first page is loaded. */
  readonly total: number | undefined;
  readonly failure: unknown;
  readonly isLoading: boolean;
  readonly more: () => void;
}

/** A paginated list that is loaded on demand. */
export function usePages<T>(key: string, load: (offset: number, signal: AbortSignal) => Promise<Listed<T>>): Pages<T> {
  const [list, setList] = useState<{ readonly of: string; readonly items: readonly T[]; readonly total: number }>();
  const [failure, setFailure] = useState<unknown>();
  const [isLoading, setLoading] = useState(false);
  const leaving = useRef(new AbortController());
  const shown = list?.of === key ? list : undefined;
  const fetchPage = (before: readonly T[]) => {
    leaving.current.abort();
    const request = new AbortController();
    leaving.current = request;
    const { signal } = request;
    setLoading(true);
    setFailure(undefined);
    load(before.length, signal).then(
      ({ items, total }) => {
        if (signal.aborted) return;
        setList({ of: key, items: [...before, ...items], total });
        setLoading(false);
      },
      (error: unknown) => {
        if (signal.aborted) return;
        setFailure(error);
        setLoading(false);
      },
    );
  };
  useEffect(() => {
    fetchPage([]);
    return () => leaving.current.abort();
  }, [key]);
  return {
    items: shown?.items ?? [],
    total: shown?.total,
    failure,
    isLoading,
    more: () => fetchPage(shown?.items ?? []),
  };
}
