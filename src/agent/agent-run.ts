import type { SourceList } from '../citations/source-list.ts';
import type { TextAnalyser } from '../citations/text-analyser.ts';
import type { GenerationConfig } from '../models/generation-config.ts';
import type { Message, ToolCall } from '../models/message.ts';
import type { Model } from '../models/model.ts';
import type { PromptTexts } from '../prompts/prompt-texts.ts';
import type { ClientTools } from '../toolbox/client-tools.ts';
import type { Tool } from '../toolbox/tool.ts';
import type { ToolContext } from '../toolbox/tool-context.ts';
import type { AgentMode } from './agent-event.ts';
import type { Budget } from './budget.ts';
import type { Containment } from './containment.ts';

/** Ports and settings that all tools of a run share. */
export type RunContext = Omit<ToolContext, 'signal' | 'transcript' | 'cite' | 'spend'>;

/** Inputs and mutable state of one run. */
export interface AgentRun {
  readonly conversationId: string;
  readonly mode: AgentMode;
  readonly question: string;
  readonly model: Model;
  readonly isExtractive: boolean;
  readonly config: GenerationConfig;
  readonly tools: readonly Tool[];
  /** Offered in addition to `tools`; a call to one ends the run. */
  readonly clientTools: ClientTools;
  readonly context: RunContext;
  /** Maximum tokens of one tool result that are passed to the model; a hard limit on top of `maxCharacters`. */
  readonly maxToolTokens: number;
  readonly budget: Budget;
  readonly containment: Containment;
  readonly analyser: TextAnalyser;
  /** Prompts for sub-questions. */
  readonly prompts: PromptTexts;
  /** Replaces the oldest turns by a summary when the transcript exceeds its share of the context window. */
  compact(transcript: readonly Message[], signal: AbortSignal): Promise<readonly Message[]>;
  readonly signal: AbortSignal;

  /** Each turn and its tool results are appended. */
  transcript: readonly Message[];
  readonly sources: SourceList;
  /** Number of leading `sources` that come from earlier turns of the conversation. */
  readonly inheritedSources: number;
  /** Internal source number → public number. Public numbers are assigned in order of first citation. */
  readonly publicNumbers: Map<number, number>;
  readonly toolCalls: ToolCall[];
}
