import { type Command, Option } from 'commander';
import type { CommandParts } from './command-parts.ts';

/** `status`, `reindex`, `migrate r2r` and `doctor`. */
export function maintenanceCommands(program: Command, { context, ended }: CommandParts): void {
  program
    .command('status')
    .description('show what is stored, and which models are used')
    .option('--json', 'machine-readable')
    .action(async (options) => ended(await (await import('../status.ts')).status(options, context)));

  program
    .command('reindex')
    .description('embed everything again beside the current vectors, then switch')
    .option('--to <provider/model>', 'with this embedder instead of the configured one')
    .option('--back', 'return to the previous embedder')
    .option('--json', 'one JSON object per line')
    .action(async (options) => ended(await (await import('../reindex.ts')).reindex(options, context)));

  program
    .command('migrate')
    .description('copy data from another server')
    .command('r2r')
    .description('copy collections, documents and conversations from a running R2R; run it again to continue')
    .requiredOption('--url <address>', 'of the R2R server, such as http://localhost:7272')
    .addOption(new Option('--api-key-stdin', 'its key, read from stdin').conflicts('email'))
    .option('--email <e-mail>', 'log in there; the password is read from stdin')
    .option('--report <file>', 'write what was copied and what was not as JSON')
    .option('--state <file>', 'record progress in this file instead of one in the data folder')
    .option('--json', 'one JSON object per line')
    .action(async (options) => ended(await (await import('../migrate.ts')).migrate(options, context)));

  program
    .command('doctor')
    .description('check the installation and suggest fixes')
    .option('--repair', 'rewrite a database of an earlier version to return free space')
    .option('--json', 'machine-readable')
    .action(async (options) => ended(await (await import('../doctor.ts')).doctor(options, context)));
}
