import { call, callList, type Listed } from '../../api/request.ts';

export type Scores = Readonly<Record<string, number>>;

export interface EvaluationSummary {
  readonly id: string;
  readonly started_at: string;
  readonly is_whole: boolean;
  readonly questions_file: string;
  readonly questions_in_file: number;
  readonly setup: Readonly<Record<string, unknown>>;
  readonly means: Scores;
  readonly question_count: number;
  readonly fault_count: number;
}

export interface EvaluatedQuestion {
  readonly id: string;
  readonly line: number;
  readonly question: string;
  readonly faults: readonly string[];
}

export interface ScoreDifference {
  readonly score: string;
  readonly pairs: number;
  readonly wins: number;
  readonly losses: number;
  readonly before: number;
  readonly now: number;
  readonly mean_difference: number;
  readonly p_value: number;
}

export interface Evaluation extends EvaluationSummary {
  readonly questions: readonly EvaluatedQuestion[];
  readonly difference: {
    readonly before: EvaluationSummary;
    readonly setup_changes: readonly string[];
    readonly shared: number;
    readonly scores: readonly ScoreDifference[];
  } | null;
}

export const loadEvaluations = (signal: AbortSignal): Promise<Listed<EvaluationSummary>> =>
  callList<EvaluationSummary>('/v3/evaluations', { query: { limit: 50 }, signal });

export const loadEvaluation = (id: string, signal: AbortSignal): Promise<Evaluation> =>
  call<Evaluation>(`/v3/evaluations/${encodeURIComponent(id)}`, { signal });
