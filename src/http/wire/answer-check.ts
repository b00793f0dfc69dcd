import { z } from 'zod';
import { answerCheckMembers, toAnswerCheckRequest } from '../../toolbox/answer-check-record.ts';

/** The body of `POST /v3/retrieval/check`. */
export const answerCheckRequest = z
  .object(answerCheckMembers)
  .meta({ id: 'AnswerCheckRequest' })
  .transform(toAnswerCheckRequest);
