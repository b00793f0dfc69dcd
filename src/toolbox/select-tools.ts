import { ServiceError } from '../errors.ts';
import type { Tool, ToolNeed } from './tool.ts';

export interface ToolSelection {
  readonly tools: readonly Tool[];
  /** Tools selected by name that are unavailable, because something they need is not configured. */
  readonly missing: readonly { readonly name: string; readonly needs: readonly ToolNeed[] }[];
}

/** Tool names of the contract without an implementation. */
export type KnownNames = readonly string[];

/**
 * Resolves tool names, in the order of `all`, without tools whose needs are not met. Throws `invalid_field` (422,
 * docs/contract.md 5.3) for names unknown in the mode.
 */
export function selectTools(
  names: readonly string[],
  all: readonly Tool[],
  met: ReadonlySet<ToolNeed>,
  known: KnownNames,
  member: string,
): ToolSelection {
  const strange = names.filter((name) => !known.includes(name));
  if (strange.length > 0) {
    const message = `Unknown tool ${strange.map((name) => `"${name}"`).join(', ')}. Known: ${known.join(', ')}.`;
    throw new ServiceError('invalid_field', message, {
      issues: strange.map((name) => ({
        type: 'enum',
        loc: ['body', member, names.indexOf(name)],
        msg: message,
        input: name,
      })),
    });
  }
  const wanted = all.filter((tool) => names.includes(tool.name));
  const isMet = (tool: Tool) => tool.needs.every((need) => met.has(need));
  return {
    tools: wanted.filter(isMet),
    missing: [
      ...wanted.filter((tool) => !isMet(tool)).map((tool) => ({ name: tool.name, needs: tool.needs })),
      ...names.filter((name) => !all.some((tool) => tool.name === name)).map((name) => ({ name, needs: [] })),
    ],
  };
}
