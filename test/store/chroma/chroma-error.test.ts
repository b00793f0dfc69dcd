import {
  ChromaConnectionError,
  ChromaForbiddenError,
  ChromaNotFoundError,
  ChromaQuotaExceededError,
  ChromaRateLimitError,
  ChromaServerError,
  ChromaUnauthorizedError,
} from 'chromadb';
import { expect, it } from 'vitest';
import { isChromaError } from '../../../src/store/chroma/chroma-error.ts';

it.each([
  ['ChromaAuthError', ChromaUnauthorizedError],
  ['ChromaConnectionError', ChromaConnectionError],
  ['ChromaForbiddenError', ChromaForbiddenError],
  ['ChromaNotFoundError', ChromaNotFoundError],
  ['ChromaQuotaExceededError', ChromaQuotaExceededError],
  ['ChromaRateLimitError', ChromaRateLimitError],
  ['ChromaServerError', ChromaServerError],
] as const)("%s is the name of an error of Chroma's client", (name, ErrorClass) => {
  expect(isChromaError(new ErrorClass('refused'), name)).toBe(true);
  expect(isChromaError(new Error('refused'), name)).toBe(false);
});
