import { ServiceError } from '../errors.ts';
import type { Tool, ToolNeed } from './tool.ts';

/**
 * Resolves tool names, in the order of `all`, without tools whose needs are not met. Throws `invalid_field` (422,
 * docs/contract.md 5.3) for names unknown in the mode.
 */
export function selectTools(
  names: readonly string[],
  all: readonly Tool[],
  metNeeds: ReadonlySet<ToolNeed>,
  known: readonly string[],
  member: string,
): Tool[] {
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
  return all.filter((tool) => names.includes(tool.name) && tool.needs.every((need) => metNeeds.has(need)));
}
