import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ServiceError } from '../errors.ts';
import { compareRuns, type RunComparison } from './compare-runs.ts';
import {
  type EvaluationRecord,
  evaluationFolder,
  isComparable,
  readEvaluation,
  setupChanges,
} from './evaluation-record.ts';
import { measuredQuestions } from './evaluation-report.ts';

export interface StoredEvaluation {
  /** The file name without its extension. */
  readonly id: string;
  readonly record: EvaluationRecord;
}

export interface EvaluationDifference {
  /** The evaluation it is compared with. */
  readonly before: StoredEvaluation;
  readonly setupChanges: readonly string[];
  readonly comparison: RunComparison;
}

/** The evaluations stored in the data folder. */
export interface EvaluationStore {
  /** Newest first; files that are not evaluations are skipped. */
  list(page: {
    readonly offset: number;
    readonly limit: number;
  }): Promise<{ readonly items: readonly StoredEvaluation[]; readonly total: number }>;
  /** Throws `not_found`. */
  get(id: string): Promise<StoredEvaluation>;
  /** Compares with the latest earlier evaluation that has at least half of the questions; undefined without one. */
  difference(evaluation: StoredEvaluation): Promise<EvaluationDifference | undefined>;
}

export function createEvaluationStore(dataFolder: string): EvaluationStore {
  const folder = evaluationFolder(dataFolder);
  const ids = async (): Promise<readonly string[]> => {
    const names = await readdir(folder).catch(() => []);
    return names
      .filter((name) => name.endsWith('.json'))
      .map((name) => name.slice(0, -'.json'.length))
      .toSorted((one, two) => (one < two ? 1 : -1));
  };
  const read = async (id: string): Promise<StoredEvaluation | undefined> => {
    const record = await readEvaluation(join(folder, `${id}.json`)).catch(() => undefined);
    return record && { id, record };
  };
  return {
    async list({ offset, limit }) {
      const all = await ids();
      const items = await Promise.all(all.slice(offset, offset + limit).map(read));
      return { items: items.filter((each) => each !== undefined), total: all.length };
    },
    async get(id) {
      // Only listed files can be read, so an identifier cannot be used as a path.
      const found = (await ids()).includes(id) ? await read(id) : undefined;
      if (found === undefined) throw new ServiceError('not_found', `There is no evaluation "${id}".`);
      return found;
    },
    async difference({ id, record }) {
      const questionIds = new Set(record.questions.map((question) => question.id));
      for (const earlier of (await ids()).filter((other) => other < id)) {
        const before = await read(earlier);
        if (before === undefined || !isComparable(before.record, questionIds)) continue;
        const [then, now] = [measuredQuestions(before.record.questions), measuredQuestions(record.questions)];
        return {
          before,
          setupChanges: setupChanges(before.record.setup, record.setup),
          comparison: compareRuns(then, now),
        };
      }
      return undefined;
    },
  };
}
