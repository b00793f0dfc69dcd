import type { Queries } from '../vector-spaces/space-rows.ts';

const NAME = 'index_left_in_step';

/** Whether the index was in step with the records, and every later change is in it or pending. */
export async function hasInStepMark(database: Queries): Promise<boolean> {
  const known = await database.selectFrom('settings').select('value').where('name', '=', NAME).executeTakeFirst();
  return known !== undefined;
}

export async function removeInStepMark(database: Queries): Promise<void> {
  await database.deleteFrom('settings').where('name', '=', NAME).execute();
}

async function writeInStepMark(database: Queries): Promise<void> {
  await database
    .insertInto('settings')
    .values({ name: NAME, value: 'true' })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** The mark in the database, which also holds for the next process if this one is killed. */
export interface InStepMark {
  /** Never throws: without the mark, the next process compares the index before it uses it. */
  set(isInStep: boolean): Promise<void>;
  /** Resolves when all that was set is in the database. */
  written(): Promise<void>;
}

export function createInStepMark(database: Queries, isMarked: boolean): InStepMark {
  let isSet = isMarked;
  let last = Promise.resolve();
  return {
    set(isInStep) {
      last = last
        .then(async () => {
          if (isSet === isInStep) return;
          await (isInStep ? writeInStepMark : removeInStepMark)(database);
          isSet = isInStep;
        })
        .catch(() => undefined);
      return last;
    },
    written: () => last,
  };
}
