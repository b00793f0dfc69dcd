/** Capabilities of an Anthropic model; they differ by generation. */
export interface AnthropicTraits {
  /** `budget`: needs a number of thinking tokens. `adaptive`: takes an effort and decides itself. */
  readonly thinking: 'budget' | 'adaptive';
  /** False when `temperature` and `top_p` are rejected. */
  readonly takesSampling: boolean;
  /** True when the model thinks by default, which counts towards the output limit. */
  readonly thinksByDefault: boolean;
}

/** Claude models without a version in the name count as the newest; models of other vendors as old. */
export function anthropicTraits(name: string): AnthropicTraits {
  if (!/claude/i.test(name)) return { thinking: 'budget', takesSampling: true, thinksByDefault: false };
  const version = readVersion(name);
  return {
    thinking: version >= 4.6 ? 'adaptive' : 'budget',
    takesSampling: version < 4.7,
    thinksByDefault: version >= 5,
  };
}

// The first short numbers are the version: `claude-sonnet-4-5-20250929`, `claude-3-7-sonnet-latest`.
function readVersion(name: string): number {
  const [, major, minor] = /(?:^|[^0-9])(\d{1,2})(?:[-.](\d{1,2}))?(?!\d)/.exec(name) ?? [];
  if (major === undefined) return Number.POSITIVE_INFINITY;
  return Number(`${major}.${minor ?? '0'}`);
}
