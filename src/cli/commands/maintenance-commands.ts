import { type Command, Option } from 'commander';
import type { CommandParts } from './command-parts.ts';

/** `status`, `reindex`, `migrate r2r` and `doctor`. */
export function maintenanceCommands(program: Command, { context, ended }: CommandParts): void {
  program
    .command('status')
    .description('what is stored, and what answers')
    .option('--json', 'machine-readable')
    .action(async (options) => ended(await (await import('../status.ts')).status(options, context)));

  program
    .command('reindex')
    .description('embed everything anew, beside what is there, then switch')
    .option('--to <provider/model>', 'with this embedder instead of the configured one')
    .option('--back', 'return to the embedder before')
    .option('--json', 'one JSON object per line')
    .action(async (options) => ended(await (await import('../reindex.ts')).reindex(options, context)));

  program
    .command('migrate')
    .description('bring over what another server holds')
    .command('r2r')
    .description('copy collections, documents and conversations out of a running R2R; run it again to go on')
    .requiredOption('--url <address>', 'of the R2R server, such as http://localhost:7272')
    .addOption(new Option('--api-key-stdin', 'its key, read from stdin').conflicts('email'))
    .option('--email <e-mail>', 'log in there; the password is read from stdin')
    .option('--report <file>', 'write what was copied and what was not as JSON')
    .option('--state <file>', 'keep what was done in this file instead of one in the data folder')
    .option('--json', 'one JSON object per line')
    .action(async (options) => ended(await (await import('../migrate.ts')).migrate(options, context)));

  program
    .command('doctor')
    .description('check what Citewell needs, and say how to fix what is wrong')
    .option('--repair', 'write a database of an earlier version anew that keeps the space of what was deleted')
    .option('--json', 'machine-readable')
    .action(async (options) => ended(await (await import('../doctor.ts')).doctor(options, context)));
}
