import { texts } from '../texts.ts';

/** Names of settings, which only operators of a server can change. */
const SETTING =
  /\b(?:(?:CITEWELL|OPENAI|ANTHROPIC|OLLAMA|CHROMA|AWS|HTTPS?)_[A-Z0-9_]+|[A-Z0-9]+(?:_API_KEY|_BASE_URL))\b/;
/** A remark such as " (CITEWELL_MAX_FILE_MB)". */
const REMARK = / \(([^()]*)\)/g;

/**
 * A message of the service for someone who cannot change its settings: without the sentences that name these, and with
 * whom to ask. Failures of providers that name settings also tell addresses, and are replaced.
 */
export function memberMessage(message: string, code = ''): string {
  const plain = message.replaceAll(REMARK, (remark, inside: string) => (SETTING.test(inside) ? '' : remark));
  const setting = SETTING.exec(plain);
  if (setting === null) return plain;
  if (code === 'provider_failed') return texts.forMembers.providerFailed;
  const before = plain.slice(0, sentenceStart(plain, setting.index)).trim();
  return before === '' ? texts.forMembers.notConfigured : `${before} ${texts.forMembers.ask}`;
}

const sentenceStart = (text: string, at: number): number => {
  const end = text.lastIndexOf('. ', at);
  return end === -1 ? 0 : end + 1;
};
