import { type Command, Option } from 'commander';
import { parseLimit, parseOffset } from '../parse-options.ts';
import type { CommandParts } from './command-parts.ts';

/** `users` and its subcommands. */
export function userCommands(program: Command, { context, ended }: CommandParts): void {
  const users = program.command('users').description('manage users');
  const load = () => import('../users.ts');
  const json = (command: Command) => command.option('--json', 'machine-readable');
  json(users.command('list', { isDefault: true }).description('list users, newest first'))
    .addOption(new Option('--limit <number>', 'how many').argParser(parseLimit).default(50))
    .addOption(new Option('--offset <number>', 'skip this many').argParser(parseOffset).default(0))
    .action(async (options) => ended(await (await load()).listUsers(options, context)));
  json(users.command('create-admin').description('create a superuser; asks for the password'))
    .requiredOption('--email <address>', 'e-mail address for login')
    .option('--name <text>', 'display name')
    .option('--password-stdin', 'read the password from stdin instead of asking')
    .action(async (options) => ended(await (await load()).createAdmin(options, context)));
  json(users.command('set-password').description('set a new password').argument('<email>'))
    .option('--password-stdin', 'read the password from stdin instead of asking')
    .action(async (email, options) => ended(await (await load()).setPassword(email, options, context)));
  for (const [name, description, change, done] of userChanges) {
    json(users.command(name).description(description).argument('<email>')).action(async (email, options) =>
      ended(await (await load()).changeUser(email, { change, done }, options, context)),
    );
  }
  json(users.command('code').description('create a code for setting a new password').argument('<email>'))
    .option('--verify', 'create a code for verifying the e-mail instead')
    .action(async (email, options) => ended(await (await load()).makeCode(email, options, context)));
  json(users.command('delete').description('delete a user and all their data').argument('<email>')).action(
    async (email, options) => ended(await (await load()).deleteUser(email, options, context)),
  );
}

const userChanges = [
  ['deactivate', 'deactivate a user immediately, keeping their data', { is_active: false }, 'is deactivated'],
  ['activate', 'reactivate a user', { is_active: true }, 'is active'],
  ['make-superuser', 'make a user a superuser', { is_superuser: true }, 'is a superuser now'],
  ['verify', "mark a user's e-mail as verified", { is_verified: true }, 'is verified'],
] as const;
