/** Whether this is an OpenAI reasoning model; these reject sampling settings. */
export function isReasoningModel(name: string): boolean {
  if (/chat-latest|^gpt-4|^gpt-3|^chatgpt|^ft:/.test(name)) return false;
  return /^o\d/.test(name) || /^codex/.test(name) || /^gpt-([5-9]|\d\d)/.test(name);
}
