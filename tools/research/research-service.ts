import { ServiceError } from '../../src/errors.ts';
import type { ToolContext } from '../../src/toolbox/tool-context.ts';
import type { ResearchService } from '../../src/toolbox/tool-ports.ts';

export function requireResearch({ research }: ToolContext): ResearchService {
  if (research !== undefined) return research;
  throw new ServiceError('not_configured', 'Research is not available here.');
}
