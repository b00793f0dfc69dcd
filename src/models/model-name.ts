/** Parts of `<provider>/<name>`; `provider` is undefined without a prefix. */
export interface ModelName {
  readonly provider: string | undefined;
  readonly name: string;
}

/** Splits at the first slash, because model names may contain further ones (`groq/meta-llama/llama-4`). */
export function parseModelName(qualified: string): ModelName {
  const trimmed = qualified.trim();
  const slash = trimmed.indexOf('/');
  if (slash === -1) return { provider: undefined, name: trimmed };
  return { provider: trimmed.slice(0, slash).toLowerCase(), name: trimmed.slice(slash + 1) };
}
