import { checkEmail } from '../access/email-address.ts';
import type { CommandContext } from './command-context.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import { table } from './layout.ts';
import { count, counted } from './progress-line.ts';
import { readPassword } from './read-password.ts';
import { findUser, type UserChanges, type UserRecord, type UsersClient } from './users-client.ts';
import { withoutEmbedding } from './with-client.ts';

interface OutputOptions {
  readonly json?: boolean;
}

interface PasswordOptions extends OutputOptions {
  readonly passwordStdin?: boolean;
}

/** `citewell users list` */
export function listUsers(
  options: OutputOptions & { readonly limit: number; readonly offset: number },
  context: CommandContext,
): Promise<ExitCode> {
  const { output } = context;
  return withUsers(context, async (client) => {
    const { users, total } = await client.list(options);
    if (options.json) {
      output.print(JSON.stringify({ total, users }));
      return;
    }
    for (const line of table(users.map(row))) output.print(line);
    if (total > users.length) output.note(`${count(users.length)} of ${counted(total, 'user')}.`);
  });
}

const row = ({ email, name, is_superuser, is_active, is_verified, num_files }: UserRecord): string[] => [
  email,
  is_superuser ? 'superuser' : 'user',
  is_active ? 'active' : 'deactivated',
  is_verified ? 'verified' : 'not verified',
  counted(num_files, 'document'),
  name ?? '',
];

/** `citewell users create-admin`: creates a superuser; fails if the e-mail address is taken. */
export async function createAdmin(
  options: PasswordOptions & { readonly email: string; readonly name?: string },
  context: CommandContext,
): Promise<ExitCode> {
  const { email, name } = options;
  checkEmail(email);
  const password = await askPassword(options, context);
  return withUsers(context, async (client) => {
    const made = await client.create({ email, password, ...(name !== undefined && { name }) });
    const admin = await client.update(made.id, { is_superuser: true, is_verified: true });
    printResult(context, options, admin, `${admin.email} is an administrator now and logs in with this password.`);
  });
}

/** `citewell users set-password` */
export async function setPassword(email: string, options: PasswordOptions, context: CommandContext): Promise<ExitCode> {
  const password = await askPassword(options, context);
  return changeUser(
    email,
    { change: { password }, done: 'has a new password; existing sessions have ended' },
    options,
    context,
  );
}

/** `citewell users deactivate` and the other commands that change one property. */
export function changeUser(
  email: string,
  { change, done }: { readonly change: UserChanges; readonly done: string },
  options: OutputOptions,
  context: CommandContext,
): Promise<ExitCode> {
  return withUsers(context, async (client) => {
    const user = await client.update((await findUser(client, email)).id, change);
    printResult(context, options, user, `${user.email} ${done}.`);
  });
}

/** `citewell users delete` */
export function deleteUser(email: string, options: OutputOptions, context: CommandContext): Promise<ExitCode> {
  return withUsers(context, async (client) => {
    const user = await findUser(client, email);
    const documents = await client.remove(user.id);
    const words = `Deleted ${user.email}, with ${counted(documents, 'document')}.`;
    printResult(context, options, { id: user.id, email: user.email, documents }, words);
  });
}

/** `citewell users code`: makes the code that a server without e-mail cannot send. */
export function makeCode(
  email: string,
  options: OutputOptions & { readonly verify?: boolean },
  context: CommandContext,
): Promise<ExitCode> {
  return withUsers(context, async (client) => {
    const user = await findUser(client, email);
    const code = await client.code(user.id, options.verify ? 'verify' : 'reset');
    printResult(context, options, { email: user.email, code }, code);
    const use = options.verify ? 'POST /v3/users/verify-email' : 'POST /v3/users/reset-password';
    if (!options.json) context.output.note(`Valid once, for 24 hours, with ${use}.`);
  });
}

function withUsers(context: CommandContext, run: (users: UsersClient) => Promise<void>): Promise<ExitCode> {
  return withoutEmbedding(context, async (client) => {
    await run(client.users);
    return exitCodes.ok;
  });
}

function printResult({ output }: CommandContext, { json }: OutputOptions, record: object, words: string): void {
  output.print(json ? JSON.stringify(record) : words);
}

const askPassword = ({ passwordStdin = false }: PasswordOptions, { interruption }: CommandContext): Promise<string> =>
  readPassword({ input: process.stdin, echo: process.stderr, isPiped: passwordStdin, stop: interruption.stop });
