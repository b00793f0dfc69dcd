/** What a model of Anthropic takes, which differs by generation. */
export interface AnthropicTraits {
  /** `budget`: told how many tokens to think. `adaptive`: decides itself, told an effort. */
  readonly thinking: 'budget' | 'adaptive';
  /** False where `temperature` and `top_p` are refused. */
  readonly takesSampling: boolean;
  /** True where the model thinks without being asked, and the answer's limit counts it. */
  readonly thinksUnasked: boolean;
}

/** A Claude model without a version in its name is taken for the newest; another vendor's model for an old one. */
export function anthropicTraits(name: string): AnthropicTraits {
  if (!/claude/i.test(name)) return { thinking: 'budget', takesSampling: true, thinksUnasked: false };
  const version = readVersion(name);
  return {
    thinking: version >= 4.6 ? 'adaptive' : 'budget',
    takesSampling: version < 4.7,
    thinksUnasked: version >= 5,
  };
}

// `claude-sonnet-4-5-20250929` and `claude-3-7-sonnet-latest`: the first short numbers are the version.
function readVersion(name: string): number {
  const [, major, minor] = /(?:^|[^0-9])(\d{1,2})(?:[-.](\d{1,2}))?(?!\d)/.exec(name) ?? [];
  if (major === undefined) return Number.POSITIVE_INFINITY;
  return Number(`${major}.${minor ?? '0'}`);
}
