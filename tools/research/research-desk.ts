import { ServiceError } from '../../src/errors.ts';
import type { ResearchDesk } from '../../src/toolbox/desk.ts';
import type { ToolContext } from '../../src/toolbox/tool-context.ts';

export function requireResearch({ research }: ToolContext): ResearchDesk {
  if (research !== undefined) return research;
  throw new ServiceError('not_configured', 'Research cannot be started from here.');
}
