/** Names of settings and commands that change them, which only operators of a server can use. */
const SETTING =
  /\b(?:(?:CITEWELL|OPENAI|ANTHROPIC|OLLAMA|CHROMA|AWS|OTEL|HTTPS?)_[A-Z0-9_]+|[A-Z0-9]+(?:_API_KEY|_BASE_URL)|SEARXNG_URL|NO_PROXY)\b|\bcitewell (?:serve|reindex|models|python|doctor|worker|database|users|backup)\b/;
/** A remark such as " (CITEWELL_MAX_FILE_MB)". */
const REMARK = / \(([^()]*)\)/g;
/** The address of a provider that was not reached, with the code of the failed connection. */
const UNREACHED = / \([A-Z][A-Z0-9_]*\) at https?:\/\/[^\s,;]*[^\s,;.]/g;
/** Any address, in a sentence before one that names a setting. */
const ADDRESS = /,? at https?:\/\/[^\s,;]*[^\s,;.]/g;

const ASK = 'Ask the administrator of this server.';
const NOT_CONFIGURED = 'This server is not set up for this. Ask its administrator.';
const PROVIDER_FAILED =
  'A service that this server needs, such as its language model, does not work. Try again later; if it still fails, tell the administrator of this server.';

/**
 * A message for someone who cannot change the settings of the server: without the sentences that name these and the
 * addresses of providers, and with whom to ask. `code` is the code of the error, if it is known.
 */
export function memberMessage(message: string, code = ''): string {
  const plain = message
    .replaceAll(REMARK, (remark, inside: string) => (SETTING.test(inside) ? '' : remark))
    .replaceAll(UNREACHED, '');
  const setting = SETTING.exec(plain);
  if (setting === null) return plain;
  if (code === 'provider_failed') return PROVIDER_FAILED;
  const before = plain.slice(0, sentenceStart(plain, setting.index)).replaceAll(ADDRESS, '').trim();
  return before === '' ? NOT_CONFIGURED : `${before} ${ASK}`;
}

const sentenceStart = (text: string, at: number): number => {
  const end = text.lastIndexOf('. ', at);
  return end === -1 ? 0 : end + 1;
};
