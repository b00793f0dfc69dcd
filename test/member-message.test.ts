import { expect, it } from 'vitest';
import { memberMessage } from '../src/member-message.ts';

const ASK = 'Ask the administrator of this server.';

it.each([
  ['The library has no document of that name.', 'The library has no document of that name.'],
  ['“REPORT_2024.pdf” could not be read.', '“REPORT_2024.pdf” could not be read.'],
  [
    'The file is larger than 50 bytes, the limit of an upload (CITEWELL_MAX_FILE_MB).',
    'The file is larger than 50 bytes, the limit of an upload.',
  ],
  [
    'No language model is configured. Set OPENAI_API_KEY or ANTHROPIC_API_KEY, or OLLAMA_BASE_URL.',
    `No language model is configured. ${ASK}`,
  ],
  [
    'OpenAI could not be reached (ECONNREFUSED) at http://10.0.0.5:8080/v1. Check the network and OPENAI_BASE_URL.',
    `OpenAI could not be reached. ${ASK}`,
  ],
  ['No model API was found at http://10.0.0.5 (404). Check OPENAI_BASE_URL.', `No model API was found (404). ${ASK}`],
  [
    'Ollama broke off the connection before its answer was complete (ECONNRESET) at http://10.0.0.5. Try again.',
    'Ollama broke off the connection before its answer was complete. Try again.',
  ],
  ['There is no page at https://example.org/a.', 'There is no page at https://example.org/a.'],
  [
    'The Python package numpy is missing. Run: citewell python add numpy',
    `The Python package numpy is missing. ${ASK}`,
  ],
  ['The model "x" needs OPENAI_API_KEY.', 'This server is not set up for this. Ask its administrator.'],
])('a member reads, instead of %j, %j', (message, plain) => {
  expect(memberMessage(message)).toBe(plain);
});

it('a member reads why a page was not fetched', () => {
  expect(memberMessage('example.org answered with status 404.', 'provider_failed')).toContain('example.org');
});

it('a member is not told the address and the key of a provider that fails', () => {
  const message =
    'OpenAI could not be reached (ECONNREFUSED) at http://10.0.0.5/v1. Check the network and OPENAI_BASE_URL.';
  const plain = memberMessage(message, 'provider_failed');
  expect(plain).not.toMatch(/http|OPENAI|ECONN/);
  expect(plain).toContain('tell the administrator of this server');
});
