/** `<provider>/<name>` taken apart; `provider` is undefined when the name has no prefix. */
export interface ModelName {
  readonly provider: string | undefined;
  readonly name: string;
}

/** Splits at the first slash: a model's own name may hold more of them (`groq/meta-llama/llama-4`). */
export function parseModelName(qualified: string): ModelName {
  const trimmed = qualified.trim();
  const slash = trimmed.indexOf('/');
  if (slash === -1) return { provider: undefined, name: trimmed };
  return { provider: trimmed.slice(0, slash).toLowerCase(), name: trimmed.slice(slash + 1) };
}
