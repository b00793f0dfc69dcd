import type { GivenPassage, ScriptedAnswer } from './page-model.ts';

export const SAMPLE_QUESTION = 'What is checked before departure, and when does the ferry stay in harbour?';

/** An answer about the sample documents with good and bad citations, so that each verdict occurs. */
export function answerWithAllVerdicts(passages: readonly GivenPassage[]): ScriptedAnswer {
  const numberOf = (words: string): number => passages.find(({ text }) => text.includes(words))?.number ?? 1;
  const check = numberOf('checks four things');
  const weather = numberOf('stay in harbour');
  const text = [
    `**Before departure** the mate checks the gangway, the life rafts, the engine room hatch and the number of passengers, ten minutes ahead [${check}].`,
    `The ferry does not leave until the mate has reported all four to the bridge [${check}].`,
    `Nobody on shore may overrule the skipper [${weather}].`,
    `Dogs travel free of charge on a lead and stay on the open deck [${weather}].`,
    `The captain also inspects the kitchen with two inspectors from Copenhagen every Friday [${check}].`,
  ].join('\n\n');
  return { text };
}
