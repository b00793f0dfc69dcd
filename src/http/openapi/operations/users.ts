import { z } from 'zod';
import { collectionRecord } from '../../wire/collection-record.ts';
import { limitsRecord } from '../../wire/limits-record.ts';
import { pageQuery } from '../../wire/page-query.ts';
import { idsQuery } from '../../wire/query.ts';
import { failure, listOf, message, results, success } from '../../wire/record-parts.ts';
import { tokens } from '../../wire/sign-in.ts';
import {
  keyRecord,
  newCode,
  newKey,
  newKeyRecord,
  passwordChange,
  passwordReset,
  passwordSet,
  registration,
  removal,
  userChange,
  userRecord,
  verification,
} from '../../wire/user-record.ts';
import { csvExport, json, type Operation, type OperationGroup, operation, operationsOf } from '../operation.ts';

const contractOperation = operationsOf({ section: 'docs/contract.md 10' });

/** A single string sent as text, as JSON, or as a member of an object or form. */
const word = (name: string) => ({
  'text/plain': 'The value as plain text.',
  'application/json': z.union([z.object({ [name]: z.string() }), z.string()]),
  'application/x-www-form-urlencoded': z.object({ [name]: z.string() }),
});
const credentials = z.object({ username: z.string().describe('The e-mail.'), password: z.string() });
const unsentEmail = z.object({ message: z.string(), note: z.string().exactOptional(), is_sent: z.boolean() });

const signInOperations: readonly Operation[] = [
  contractOperation('POST /v3/users', {
    name: 'register',
    summary: 'Register',
    access: 'public',
    body: json(registration),
    examples: { plain: { email: 'ada@example.org', password: 'a long pass phrase' } },
    answer: json(results(userRecord)),
    failures: [400, 403, 429],
  }),
  operation('POST /v3/users/login', {
    name: 'login',
    summary: 'Log in',
    section: 'docs/contract.md 2',
    access: 'public',
    body: { 'application/x-www-form-urlencoded': credentials, 'application/json': credentials },
    answer: json(tokens),
    failures: [400, 401, 403, 429],
  }),
  operation('POST /v3/users/refresh-token', {
    name: 'refreshToken',
    summary: 'Exchange a refresh token for new tokens',
    section: 'docs/contract.md 2',
    access: 'public',
    body: word('refresh_token'),
    answer: json(tokens),
    failures: [401],
  }),
  operation('POST /v3/users/logout', {
    name: 'logout',
    summary: 'Log out: revoke the session',
    section: 'docs/contract.md 2',
    answer: json(message),
  }),
  contractOperation('POST /v3/users/send-verification-email', {
    name: 'sendVerificationEmail',
    summary: 'Request a code for verifying an e-mail',
    description: 'No e-mail is sent: an administrator creates the code. The response is the same for every e-mail.',
    access: 'public',
    body: word('email'),
    answer: json(results(unsentEmail)),
    failures: [400],
  }),
  contractOperation('POST /v3/users/verify-email', {
    name: 'verifyEmail',
    summary: 'Verify an e-mail by its code',
    access: 'public',
    body: json(verification),
    answer: json(message),
    failures: [400],
  }),
  contractOperation('POST /v3/users/request-password-reset', {
    name: 'requestPasswordReset',
    summary: 'Request a code for resetting a password',
    description: 'No e-mail is sent: an administrator creates the code.',
    access: 'public',
    body: word('email'),
    answer: json(results(unsentEmail)),
    failures: [400],
  }),
  contractOperation('POST /v3/users/reset-password', {
    name: 'resetPassword',
    summary: 'Set a new password by its code',
    access: 'public',
    body: json(passwordReset),
    answer: json(results(passwordSet)),
    failures: [400],
  }),
];

const accountOperations: readonly Operation[] = [
  contractOperation('GET /v3/users', {
    name: 'listUsers',
    summary: 'List users',
    access: 'superuser',
    query: idsQuery,
    answer: json(listOf(userRecord)),
  }),
  contractOperation('GET /v3/users/me', {
    name: 'me',
    summary: 'Get the current user',
    answer: json(results(userRecord)),
    failures: [404],
  }),
  contractOperation('POST /v3/users/change-password', {
    name: 'changePassword',
    summary: 'Change your password',
    body: json(passwordChange),
    answer: json(results(passwordSet)),
    failures: [400, 404],
  }),
  csvExport('POST /v3/users/export', {
    name: 'exportUsers',
    summary: 'Export users as CSV',
    access: 'superuser',
  }),
  contractOperation('GET /v3/users/{id}', {
    name: 'getUser',
    summary: 'Get a user; only superusers can get others',
    answer: json(results(userRecord)),
    failures: [403],
  }),
  contractOperation('POST /v3/users/{id}', {
    name: 'updateUser',
    summary: 'Change a user',
    body: json(userChange),
    answer: json(results(userRecord)),
    failures: [400, 403],
  }),
  contractOperation('DELETE /v3/users/{id}', {
    name: 'deleteUser',
    summary: 'Delete a user and everything that only they own',
    body: json(removal),
    isBodyOptional: true,
    answer: json(results(z.object({ success: z.boolean(), documents: z.int(), chunks: z.int() }))),
    failures: [400, 401, 403],
  }),
  operation('GET /v3/users/{id}/limits', {
    name: 'getLimits',
    summary: 'Limits and usage of a user',
    section: 'docs/contract.md 2',
    answer: json(results(limitsRecord)),
    failures: [403],
  }),
  operation('POST /v3/users/{id}/codes', {
    name: 'createCode',
    summary: 'Create a verification or password reset code',
    access: 'superuser',
    body: json(newCode),
    answer: json(results(z.object({ code: z.string(), purpose: z.enum(['verify', 'reset']) }))),
    failures: [400],
  }),
  contractOperation('GET /v3/users/{id}/collections', {
    name: 'listUserCollections',
    summary: 'List the collections a user belongs to',
    query: pageQuery,
    answer: json(listOf(collectionRecord)),
    failures: [403],
  }),
  contractOperation('POST /v3/users/{id}/collections/{collectionId}', {
    name: 'addCollectionToUser',
    summary: 'Add a user to a collection',
    answer: json(success),
    failures: [400, 403],
  }),
  contractOperation('DELETE /v3/users/{id}/collections/{collectionId}', {
    name: 'removeCollectionFromUser',
    summary: 'Remove a user from a collection',
    answer: json(success),
    failures: [400, 403],
  }),
  contractOperation('POST /v3/users/{id}/api-keys', {
    name: 'createApiKey',
    summary: 'Create an API key; it is shown once',
    body: json(newKey),
    isBodyOptional: true,
    answer: json(results(newKeyRecord)),
    failures: [400, 403],
  }),
  contractOperation('GET /v3/users/{id}/api-keys', {
    name: 'listApiKeys',
    summary: 'List API keys',
    query: pageQuery,
    answer: json(listOf(keyRecord)),
    failures: [403],
  }),
  contractOperation('DELETE /v3/users/{id}/api-keys/{keyId}', {
    name: 'deleteApiKey',
    summary: 'Delete an API key',
    answer: json(success),
    failures: [403],
  }),
];

/** Routes that R2R's client calls; Citewell only answers with the alternative. */
const oauthOperations = ['google', 'github'].flatMap((provider) =>
  ['authorize', 'callback'].map((step) =>
    contractOperation(`GET /v3/users/oauth/${provider}/${step}`, {
      name: `${provider}${step === 'authorize' ? 'Authorize' : 'Callback'}`,
      summary: `Not supported: log in with ${provider}`,
      status: 503,
      answer: json(failure),
    }),
  ),
);

export const userOperations: OperationGroup = {
  tag: 'Users',
  description: 'Registering, logging in, API keys and limits.',
  operations: [...signInOperations, ...accountOperations, ...oauthOperations],
};
