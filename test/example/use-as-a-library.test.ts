import { expect, it } from 'vitest';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { answerWithCitations } from './use-as-a-library.ts';

it('answers with the model, the embedder and the tool of a host program, and cites the exact words', async () => {
  expect(await answerWithCitations(await temporaryFolder(), 'When does the ferry stay in the harbour?')).toBe(
    [
      'The ferry stays in the harbour when the wind is above 18 metres a second [1]. The Aurora has 12 free seats today.',
      '[1] verbatim: "The ferry stays in the harbour when the wind is above 18 metres a second."',
    ].join('\n'),
  );
});
