import { type Command, Option } from 'commander';
import { parseLimit, parseOffset } from '../parse-options.ts';
import type { CommandParts } from './command-parts.ts';

/** `users` and what is done with one. */
export function userCommands(program: Command, { context, ended }: CommandParts): void {
  const users = program.command('users').description('who may log in');
  const load = () => import('../users.ts');
  const json = (command: Command) => command.option('--json', 'machine-readable');
  json(users.command('list', { isDefault: true }).description('newest first'))
    .addOption(new Option('--limit <number>', 'how many').argParser(parseLimit).default(50))
    .addOption(new Option('--offset <number>', 'skip this many').argParser(parseOffset).default(0))
    .action(async (options) => ended(await (await load()).listUsers(options, context)));
  json(users.command('create-admin').description('make a superuser; asks for the password'))
    .requiredOption('--email <address>', 'what they log in with')
    .option('--name <text>', 'what they are called')
    .option('--password-stdin', 'read the password from stdin instead of asking')
    .action(async (options) => ended(await (await load()).createAdmin(options, context)));
  json(users.command('set-password').description('give a user a new password').argument('<email>'))
    .option('--password-stdin', 'read the password from stdin instead of asking')
    .action(async (email, options) => ended(await (await load()).setPassword(email, options, context)));
  for (const [name, description, change, done] of userChanges) {
    json(users.command(name).description(description).argument('<email>')).action(async (email, options) =>
      ended(await (await load()).changeUser(email, { change, done }, options, context)),
    );
  }
  json(users.command('code').description('a code for a user to set a new password with').argument('<email>'))
    .option('--verify', 'to verify the e-mail with, instead')
    .action(async (email, options) => ended(await (await load()).makeCode(email, options, context)));
  json(users.command('delete').description('remove a user and all that is theirs').argument('<email>')).action(
    async (email, options) => ended(await (await load()).deleteUser(email, options, context)),
  );
}

const userChanges = [
  ['deactivate', 'shut a user out at once, and keep what is theirs', { is_active: false }, 'is shut out'],
  ['activate', 'let a user in again', { is_active: true }, 'is let in'],
  ['make-superuser', 'let a user see and do everything', { is_superuser: true }, 'is a superuser now'],
  ['verify', "take a user's e-mail for theirs", { is_verified: true }, 'is verified'],
] as const;
