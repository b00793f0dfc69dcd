import { isObject } from '../shared/objects.ts';

/** A request parameter that a provider rejected. */
export interface RejectedParameter {
  /** Path in the request body: `temperature`, `reasoning.summary`. */
  readonly name: string;
  /** Name under which the provider accepts the value. */
  readonly replacement?: string;
  /** JSON of the value, when only this value was rejected; absent when the parameter is rejected in general. */
  readonly value?: string;
}

/**
 * The optional parameter that an error message rejects; undefined when the error has another reason. Read from the
 * error, because support of parameters changes with every model generation and differs among compatible servers.
 */
export function readRejectedParameter(body: object, error: unknown): RejectedParameter | undefined {
  if (typeof error !== 'object' || error === null || !('status' in error)) return undefined;
  if (error.status !== 400 && error.status !== 422) return undefined;
  const message = errorText(error);
  for (const [name, replacement] of OPTIONAL_PARAMETERS) {
    const value = valueAt(body, name.split('.'));
    if (value === undefined || !isNamed(name, message)) continue;
    return {
      name,
      ...(replacement !== undefined && isNamed(replacement, message) && { replacement }),
      ...(!PARAMETER_REJECTED.test(message) && { value: JSON.stringify(value) }),
    };
  }
  return undefined;
}

/** Removes the parameter from the body or renames it. */
export function dropParameter<Body extends object>(body: Body, { name, replacement }: RejectedParameter): Body {
  const value = valueAt(body, name.split('.'));
  const rest = withoutPath(body, name.split('.'));
  return replacement === undefined || value === undefined ? rest : { ...rest, [replacement]: value };
}

/** Rejected parameters by model of one provider; they are not sent again. */
export interface RejectedParameters {
  note(model: string, refusal: RejectedParameter): void;
  /** Removes the parameters that the model is known to reject. */
  apply<Body extends object>(model: string, body: Body): Body;
}

/** Maximum number of rejected values remembered per model. */
const MAX_REMEMBERED = 100;

export function createRejectedParameters(): RejectedParameters {
  const known = new Map<string, readonly RejectedParameter[]>();
  return {
    note(model, refusal) {
      known.set(model, [...(known.get(model) ?? []).slice(-MAX_REMEMBERED), refusal]);
    },
    apply: (model, body) =>
      (known.get(model) ?? []).reduce((rest, refusal) => {
        const value = valueAt(rest, refusal.name.split('.'));
        const isRefused = value !== undefined && (refusal.value ?? JSON.stringify(value)) === JSON.stringify(value);
        return isRefused ? dropParameter(rest, refusal) : rest;
      }, body),
  };
}

/** Parameters that a request works without. For the two names of the output limit, the other is tried if suggested. */
const OPTIONAL_PARAMETERS: readonly (readonly [name: string, replacement?: string])[] = [
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

/** Maximum number of adapted retries of a request: one per parameter. */
export const MAX_REJECTIONS = OPTIONAL_PARAMETERS.length;

// Phrases that reject the parameter itself, not only its value.
const PARAMETER_REJECTED =
  /unsupported|not support|unknown|unrecogni[sz]ed|unexpected|not permitted|not allowed|extra_forbidden|deprecated|instead/i;

const isNamed = (name: string, message: string): boolean =>
  new RegExp(`(^|[^a-z0-9_.])${name.replace('.', '\\.')}([^a-z0-9_]|$)`, 'i').test(message);

/** The provider's error body and message as text. */
function errorText(error: object): string {
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
