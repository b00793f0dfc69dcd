import type { ToolSpec } from '../models/model.ts';
import { toToolSpec } from '../toolbox/tool-spec.ts';
import type { AgentRun } from './agent-run.ts';

/** All tools that the run's model may call: those of the run, and the caller's functions. */
export const declaredTools = ({ tools, clientTools }: Pick<AgentRun, 'tools' | 'clientTools'>): readonly ToolSpec[] => [
  ...tools.map(toToolSpec),
  ...clientTools.specs,
];
