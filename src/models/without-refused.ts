/** A setting that a provider refused, and what stands for it. */
export interface Refusal {
  /** Where it stands in the body: `temperature`, `reasoning.summary`. */
  readonly name: string;
  /** The name under which the provider takes the same value. */
  readonly replacement?: string;
  /** As JSON, where only this value was refused; absent where the setting is refused whatever it says. */
  readonly value?: string;
}

/**
 * The optional setting that the provider refuses to take, or undefined when the refusal is about something else. Which
 * model takes which setting changes with every generation of models, and servers that are only compatible differ more,
 * so the refusal itself is the best table.
 */
export function readRefusal(body: object, error: unknown): Refusal | undefined {
  if (typeof error !== 'object' || error === null || !('status' in error)) return undefined;
  if (error.status !== 400 && error.status !== 422) return undefined;
  const said = words(error);
  for (const [name, replacement] of OPTIONAL) {
    const value = valueAt(body, name.split('.'));
    if (value === undefined || !isNamed(name, said)) continue;
    return {
      name,
      ...(replacement !== undefined && isNamed(replacement, said) && { replacement }),
      ...(!WHATEVER_IT_SAYS.test(said) && { value: JSON.stringify(value) }),
    };
  }
  return undefined;
}

/** The body without the refused setting, or with it under its other name. */
export function leaveOut<Body extends object>(body: Body, { name, replacement }: Refusal): Body {
  const value = valueAt(body, name.split('.'));
  const rest = withoutPath(body, name.split('.'));
  return replacement === undefined || value === undefined ? rest : { ...rest, [replacement]: value };
}

/** What models of one provider have refused: it is not sent to them again. */
export interface Refusals {
  note(model: string, refusal: Refusal): void;
  /** The body without what the model is known to refuse. */
  apply<Body extends object>(model: string, body: Body): Body;
}

/** Refused values remembered of one model; who sends ever other ones has them refused anew. */
const MAX_REMEMBERED = 100;

export function createRefusals(): Refusals {
  const known = new Map<string, readonly Refusal[]>();
  return {
    note(model, refusal) {
      known.set(model, [...(known.get(model) ?? []).slice(-MAX_REMEMBERED), refusal]);
    },
    apply: (model, body) =>
      (known.get(model) ?? []).reduce((rest, refusal) => {
        const value = valueAt(rest, refusal.name.split('.'));
        const isRefused = value !== undefined && (refusal.value ?? JSON.stringify(value)) === JSON.stringify(value);
        return isRefused ? leaveOut(rest, refusal) : rest;
      }, body),
  };
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

/** Times one request is changed and sent again at the most: once for each setting. */
export const MAX_REFUSALS = OPTIONAL.length;

// Said of a setting, not of its value alone.
const WHATEVER_IT_SAYS =
  /unsupported|not support|unknown|unrecogni[sz]ed|unexpected|not permitted|not allowed|extra_forbidden|deprecated|instead/i;

const isNamed = (name: string, said: string): boolean =>
  new RegExp(`(^|[^a-z0-9_.])${name.replace('.', '\\.')}([^a-z0-9_]|$)`, 'i').test(said);

/** What the provider says is wrong: the parameter it names, and its sentence. */
function words(error: object): string {
  const body = 'error' in error ? error.error : undefined;
  return JSON.stringify([body ?? null, 'message' in error ? error.message : null]);
}

const valueAt = (body: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>((value, member) => (isObject(value) ? value[member] : undefined), body);

function withoutPath<Body extends object>(body: Body, [first, ...rest]: readonly string[]): Body {
  if (first === undefined) return body;
  const { [first]: member, ...others } = body as Record<string, unknown>;
  if (rest.length === 0) return others as Body;
  return isObject(member) ? ({ ...others, [first]: withoutPath(member, rest) } as unknown as Body) : body;
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
