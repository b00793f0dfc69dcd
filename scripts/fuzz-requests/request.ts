/** A request as it is sent. */
export interface FuzzedRequest {
  readonly number: number;
  readonly method: string;
  /** Route pattern, under which the request is counted. */
  readonly route: string;
  /** With the query string. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: Buffer | undefined;
  /** The unauthenticated or the authenticated service. */
  readonly face: AccessMode;
  /** The client disconnects after this many milliseconds, having sent only part of the body. */
  readonly leavesAfter?: number;
}

export type AccessMode = 'open' | 'guarded';

const MAX_LENGTH = 4_000;

/** A curl command that repeats the request; long bodies are in base64, very long ones truncated. */
export function toCurl({ method, path, headers, body }: FuzzedRequest, url: string): string {
  const lines = Object.entries(headers).flatMap(([name, value]) => [value].flat().map((each) => `${name}: ${each}`));
  const options = [`-X ${method}`, '--path-as-is', ...lines.map((line) => `-H ${quoted(line)}`)];
  const address = quoted(`${url}${path}`);
  if (body === undefined) return `curl -sS ${options.join(' ')} ${address}`;
  const text = body.toString('utf8');
  if (body.length < MAX_LENGTH && isPlain(text))
    return `curl -sS ${options.join(' ')} --data-binary ${quoted(text)} ${address}`;
  const encoded = body.subarray(0, MAX_LENGTH).toString('base64');
  const note = body.length > MAX_LENGTH ? ` # the first ${MAX_LENGTH} of ${body.length} bytes` : '';
  return `echo ${encoded} | base64 -d | curl -sS ${options.join(' ')} --data-binary @- ${address}${note}`;
}

const isPlain = (text: string): boolean => /^[\t\n\x20-\x7e]*$/.test(text);

const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;
