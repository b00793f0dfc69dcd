/**
 * The request body without the optional parameter that the provider refuses to take, or undefined when the refusal is
 * about something else. Which model takes which setting changes with every generation of models, and servers that are
 * only compatible differ more, so the refusal itself is the best table.
 */
export function withoutRefused<Body extends object>(body: Body, error: unknown): Body | undefined {
  if (typeof error !== 'object' || error === null || !('status' in error)) return undefined;
  if (error.status !== 400 && error.status !== 422) return undefined;
  const said = words(error);
  for (const [name, replacement] of OPTIONAL) {
    if (!isNamed(name, said)) continue;
    const rest = withoutPath(body, name.split('.'));
    if (rest === undefined) continue;
    const value = (body as Readonly<Record<string, unknown>>)[name];
    // The swap can lead back to where it started only if both were refused.
    return replacement === undefined || !isNamed(replacement, said) ? rest : { ...rest, [replacement]: value };
  }
  return undefined;
}

/** Settings an answer is possible without. Of the two names of the limit, the other one is tried if it is suggested. */
const OPTIONAL: readonly (readonly [name: string, replacement?: string])[] = [
  ['max_tokens', 'max_completion_tokens'],
  ['max_completion_tokens', 'max_tokens'],
  ['temperature'],
  ['top_p'],
  ['stream_options'],
  ['reasoning_effort'],
  ['reasoning.summary'],
  ['reasoning.effort'],
  ['output_config.effort'],
];

const isNamed = (name: string, said: string): boolean =>
  new RegExp(`(^|[^a-z0-9_.])${name.replace('.', '\\.')}([^a-z0-9_]|$)`, 'i').test(said);

/** What the provider says is wrong: the parameter it names, and its sentence. */
function words(error: object): string {
  const body = 'error' in error ? error.error : undefined;
  return JSON.stringify([body ?? null, 'message' in error ? error.message : null]);
}

function withoutPath<Body extends object>(body: Body, [first, ...rest]: readonly string[]): Body | undefined {
  if (first === undefined) return undefined;
  const { [first]: member, ...others } = body as Record<string, unknown>;
  if (member === undefined) return undefined;
  if (rest.length === 0) return others as Body;
  if (typeof member !== 'object' || member === null) return undefined;
  const inner = withoutPath(member, rest);
  return inner === undefined ? undefined : ({ ...others, [first]: inner } as unknown as Body);
}
