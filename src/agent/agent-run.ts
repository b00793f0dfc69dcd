import type { SourceList } from '../citations/source-list.ts';
import type { TextAnalyser } from '../citations/text-analyser.ts';
import type { GenerationConfig } from '../models/generation-config.ts';
import type { Message, ToolCall } from '../models/message.ts';
import type { Model } from '../models/model.ts';
import type { PromptTexts } from '../prompts/prompt-texts.ts';
import type { Tool } from '../toolbox/tool.ts';
import type { ToolContext } from '../toolbox/tool-context.ts';
import type { AgentMode } from './agent-event.ts';
import type { Budget } from './budget.ts';
import type { Containment } from './containment.ts';

/** The ports and settings of a run that its tools share. */
export type RunContext = Omit<ToolContext, 'signal' | 'transcript' | 'cite' | 'spend'>;

/** Everything one run needs, and what it gathers on its way. */
export interface AgentRun {
  readonly conversationId: string;
  readonly mode: AgentMode;
  readonly question: string;
  readonly model: Model;
  readonly isExtractive: boolean;
  readonly config: GenerationConfig;
  readonly tools: readonly Tool[];
  readonly context: RunContext;
  /** Tokens of one tool result that the model gets to read, whatever the tool makes of `maxCharacters`. */
  readonly maxToolTokens: number;
  readonly budget: Budget;
  readonly containment: Containment;
  readonly analyser: TextAnalyser;
  /** What a sub-question is asked with. */
  readonly prompts: PromptTexts;
  /** Shortens the oldest turns when the transcript outgrows the model's window. */
  compact(transcript: readonly Message[], signal: AbortSignal): Promise<readonly Message[]>;
  readonly signal: AbortSignal;

  /** Grows by each turn and its tool results. */
  transcript: readonly Message[];
  readonly sources: SourceList;
  /** How many of the sources, the first ones, earlier turns of the conversation brought. */
  readonly inherited: number;
  /** Sources referred to so far, with the numbers they have outside: counted in order of first use. */
  readonly citedAs: Map<number, number>;
  readonly toolCalls: ToolCall[];
}
