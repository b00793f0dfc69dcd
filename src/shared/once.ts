/** A function that computes its value on the first call and returns it on each. */
export function once<T>(compute: () => T): () => T {
  let value: { readonly of: T } | undefined;
  return () => {
    value ??= { of: compute() };
    return value.of;
  };
}
