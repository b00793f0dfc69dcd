import type { ToolSpec } from '../models/model.ts';
import type { Tool } from './tool.ts';

/** The part of a tool that models see. */
export const toToolSpec = ({ name, description, inputSchema }: Tool): ToolSpec => ({ name, description, inputSchema });
