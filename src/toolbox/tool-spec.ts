import type { ToolSpec } from '../models/model.ts';
import type { Tool } from './tool.ts';

/** What a model is told of a tool. */
export const toToolSpec = ({ name, description, inputSchema }: Tool): ToolSpec => ({ name, description, inputSchema });
