import type { DescribedAnswers } from '../../test/http/support/described-answers.ts';
import { member } from '../kill-test/api.ts';
import type { FuzzedRequest } from './request.ts';
import type { Outcome } from './send.ts';

export interface ResponseCheckParts {
  readonly description: DescribedAnswers;
  /** Folders of this machine, which must not appear in responses. */
  readonly folders: readonly string[];
}

/**
 * Legitimate 5xx responses: the route needs a setting that is absent, or first reads what a source has at an address that
 * nobody serves. Error code → routes.
 */
const expectedFailures: Readonly<Record<string, readonly string[]>> = {
  not_configured: [
    '/v3/retrieval/rag',
    '/v3/retrieval/agent',
    '/v3/retrieval/completion',
    '/v1/chat/completions',
    '/v1/responses',
    '/v3/documents',
    '/v3/documents/:id/extract',
    '/v3/collections/:id/extract',
    '/v3/graphs/:id/communities/build',
    '/v3/system/reindex',
    '/v3/users/oauth/google/authorize',
    '/v3/users/oauth/google/callback',
    '/v3/users/oauth/github/authorize',
    '/v3/users/oauth/github/callback',
  ],
  provider_failed: ['/v3/sources', '/v3/sources/:id'],
};

/** Internal details that must not leak: stack traces, file names, SQL. */
const INTERNAL_WORDS =
  /\n\s+at |node:internal|node_modules|\.ts:\d+|SQLITE_|sqlite|constraint failed|no such (?:table|column|function|module)|fts5|malformed MATCH|unterminated string|syntax error near|\b(?:select|insert|update|delete)\b[^"]{0,80}\b(?:from|into|set)\b[^"]{0,40}\b(?:where|values)\b|TypeError|RangeError|Cannot read propert|is not a function|is not iterable|Maximum call stack/;

/** Describes in sentences what is wrong with a response. */
export function problemsOf(fuzzed: FuzzedRequest, outcome: Outcome, parts: ResponseCheckParts): readonly string[] {
  const { status, ending, milliseconds, error, text } = outcome;
  if (ending === 'left') return [];
  if (ending === 'late') return [`No end after ${Math.round(milliseconds)} ms.`];
  if (status === undefined) return [`No answer: ${error}.`];
  // The HTTP parser closes the connection on invalid input, so the rest of the request may fail.
  if (ending === 'broken' && isRefusedByParser(outcome)) return [];
  if (ending === 'broken') return [`The response was cut off: ${error}.`];
  const complaints: string[] = [];
  const body = parsed(outcome);
  if (status >= 500 && !isExpected(fuzzed, body)) complaints.push(`A request of a client led to ${status}.`);
  if (status >= 400) {
    complaints.push(...shapeProblems(fuzzed, outcome, body));
    const [word] = INTERNAL_WORDS.exec(text) ?? [];
    if (word !== undefined && !isEchoed(word, fuzzed)) complaints.push(`The answer has ${JSON.stringify(word)} in it.`);
    if (parts.folders.some((folder) => text.includes(folder)))
      complaints.push('The answer names a folder of this machine.');
  } else {
    complaints.push(...successProblems(fuzzed, outcome, body, parts));
  }
  return complaints;
}

function isExpected({ method, route }: FuzzedRequest, body: unknown): boolean {
  const [, path = ''] = route.toLowerCase().replace(/\/+$/, '').split(' ');
  // A response to HEAD has only a status.
  const code = method === 'HEAD' ? 'not_configured' : (member(body, 'code') ?? member(member(body, 'error'), 'code'));
  const paths = typeof code === 'string' && Object.hasOwn(expectedFailures, code) ? expectedFailures[code] : undefined;
  return paths?.includes(path) ?? false;
}

/** Whether the word comes from the request, which responses may echo. */
function isEchoed(word: string, { path, body }: FuzzedRequest): boolean {
  return path.includes(word) || (body?.includes(word) ?? false);
}

/** Checks an error response against docs/contract.md 1.2 and the error formats of the other APIs. */
function shapeProblems({ method, path }: FuzzedRequest, { status, text, headers }: Outcome, body: unknown): string[] {
  if (method === 'HEAD') return text === '' ? [] : ['An answer to HEAD has a body.'];
  if (isRefusedByParser({ status, text, headers })) return [];
  if (body === undefined) return [`An answer of ${status} is no JSON: ${text.slice(0, 200)}`];
  const error = member(body, 'error');
  if (/^\/+mcp/i.test(path) && member(body, 'jsonrpc') === '2.0' && typeof member(error, 'message') === 'string')
    return [];
  if (
    /^\/+v1\//i.test(path) &&
    typeof member(error, 'message') === 'string' &&
    typeof member(error, 'type') === 'string'
  )
    return [];
  if (/^\/+peer/i.test(path) && typeof member(error, 'message') === 'string') return [];
  if (/^\/+dify/i.test(path) && typeof member(body, 'error_msg') === 'string') return [];
  const isWhole =
    typeof member(body, 'message') === 'string' &&
    typeof member(body, 'code') === 'string' &&
    member(body, 'error_type') === 'R2RException';
  if (!isWhole) return [`An answer of ${status} is not in the form of the contract: ${text.slice(0, 200)}`];
  return status === 422 && !Array.isArray(member(body, 'detail')) ? ['An answer of 422 has no detail.'] : [];
}

/** How a stream ends: those of OpenAI's Responses API with an event of the whole response, all others with `[DONE]`. */
const endOf = (path: string): RegExp =>
  /^\/+v1\/responses\b/i.test(path)
    ? /event: response\.(?:completed|incomplete|failed)\ndata: .*\n\n$/
    : /data: \[DONE\]\n\n$/;

function successProblems(
  { method, path }: FuzzedRequest,
  { status = 0, text, headers, ending, isCut }: Outcome,
  body: unknown,
  { description }: ResponseCheckParts,
): string[] {
  const type = headers['content-type'] ?? '';
  if (method === 'HEAD' || status === 204 || ending === 'unending') return [];
  if (type.startsWith('text/event-stream')) {
    const isEnded = /^\/+mcp/i.test(path) || endOf(path).test(text);
    const isInner = text.includes('"code":"internal"');
    return [
      ...(isEnded ? [] : ['A stream ends without its end.']),
      ...(isInner ? ['A stream tells of a fault inside.'] : []),
    ];
  }
  if (!type.startsWith('application/json')) return [];
  if (isCut) return [];
  if (body === undefined) return [`An answer of ${status} is no JSON.`];
  const error = member(body, 'error');
  // An error with this code whose message is a list of issues reports invalid parameters, not an internal fault.
  const isOfParameters = /^\[\s*\{/.test(String(member(error, 'message')));
  if (member(error, 'code') === -32603 && !isOfParameters) {
    return [`A message led to an internal error: ${text.slice(0, 300)}`];
  }
  const [plain = ''] = path.split('?');
  const problem = description.problemOf({ method: method.toLowerCase(), path: plain, status, body });
  return problem === undefined ? [] : [`The answer is not as it is described: ${problem.slice(0, 300)}`];
}

/** Whether the HTTP parser refused the request before the application saw it. */
const isRefusedByParser = ({ status, text, headers }: Pick<Outcome, 'status' | 'text' | 'headers'>): boolean =>
  text === '' && (status === 400 || status === 431) && headers['x-request-id'] === undefined;

function parsed({ text, headers }: Outcome): unknown {
  if (!/json/.test(headers['content-type'] ?? '')) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
