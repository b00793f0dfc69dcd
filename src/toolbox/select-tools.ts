import { ServiceError } from '../errors.ts';
import type { Tool, ToolNeed } from './tool.ts';

interface SelectionParts {
  /** Tools that may be selected, in the order in which they are offered. */
  readonly tools: readonly Tool[];
  readonly metNeeds: ReadonlySet<ToolNeed>;
  /** Names known in the mode, whether or not this installation offers the tools. */
  readonly known: readonly string[];
  /** Member of the request that holds the names, for errors. */
  readonly member: string;
}

/**
 * Resolves tool names, without tools whose needs are not met. Throws `invalid_field` (422, docs/contract.md 5.3) for
 * names unknown in the mode.
 */
export function selectTools(names: readonly string[], { tools, metNeeds, known, member }: SelectionParts): Tool[] {
  const unknownNames = names.filter((name) => !known.includes(name));
  if (unknownNames.length > 0) {
    const message = `Unknown tool ${unknownNames.map((name) => `"${name}"`).join(', ')}. Known: ${known.join(', ')}.`;
    throw new ServiceError('invalid_field', message, {
      issues: unknownNames.map((name) => ({
        type: 'enum',
        loc: ['body', member, names.indexOf(name)],
        msg: message,
        input: name,
      })),
    });
  }
  return tools.filter((tool) => names.includes(tool.name) && tool.needs.every((need) => metNeeds.has(need)));
}
