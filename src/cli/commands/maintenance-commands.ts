import { type Command, Option } from 'commander';
import type { CommandParts } from './command-parts.ts';

/** `status`, `backup`, `restore`, `reindex`, `migrate`, `database` and `doctor`. */
export function maintenanceCommands(program: Command, { context, ended }: CommandParts): void {
  program
    .command('status')
    .description('show what is stored and which models are used; exits with 1 if something configured does not answer')
    .option('--json', 'machine-readable')
    .action(async (options) => ended(await (await import('../status.ts')).status(options, context)));

  const passphrase = (command: Command) =>
    command.option('--passphrase-stdin', 'read the passphrase from stdin instead of asking');
  const backup = passphrase(program.command('backup'))
    .description('write a backup of everything stored, while the server runs ("./verify" is a file)')
    .argument('<file>', 'a new file')
    .option('--encrypt', 'encrypt it with a passphrase (an age file)')
    .option('--json', 'one JSON object per line')
    .action(async (file: string, options) =>
      ended(await (await import('../backup.ts')).backUp(file, options, context)),
    );
  backup
    .command('verify')
    .description('check that a backup is complete and undamaged, as restoring it would')
    .argument('<file>')
    .action(async (file: string, _options, command: Command) =>
      // The options are declared by "backup", which consumes them.
      ended(await (await import('../backup.ts')).verify(file, command.optsWithGlobals(), context)),
    );
  passphrase(program.command('restore'))
    .description('restore a backup into a data folder, or a PostgreSQL database, that holds nothing yet')
    .argument('<file>')
    .option('--json', 'one JSON object per line')
    .action(async (file: string, options) =>
      ended(await (await import('../backup.ts')).restore(file, options, context)),
    );

  program
    .command('reindex')
    .description('embed everything again beside the current vectors, then switch')
    .option('--to <provider/model>', 'with this embedder instead of the configured one')
    .option('--back', 'return to the previous embedder')
    .option('--json', 'one JSON object per line')
    .action(async (options) => ended(await (await import('../reindex.ts')).reindex(options, context)));

  const migrate = program.command('migrate').description('copy data from another server, or to another database');
  migrate
    .command('store')
    .description('copy all records to an empty database; run it again to continue after an interruption')
    .requiredOption('--to <address>', 'postgres://user:password@host/name, or sqlite:FOLDER for a data folder')
    .option('--verify', 'compare the two, and copy nothing')
    .option('--json', 'one JSON object per line')
    .action(async (options) => ended(await (await import('../migrate-store.ts')).migrateStore(options, context)));
  migrate
    .command('originals')
    .description('move the uploaded files to S3-compatible storage or back; run it again to continue')
    .requiredOption('--to <place>', 's3://bucket/prefix, reached as CITEWELL_ORIGINALS_… and AWS_… say, or database')
    .option('--json', 'one JSON object per line')
    .action(async (options) =>
      ended(await (await import('../migrate-originals.ts')).migrateOriginals(options, context)),
    );
  migrate
    .command('r2r')
    .description('copy users, collections, documents and conversations from R2R; run it again to continue')
    .option('--url <address>', 'of a running R2R server, such as http://localhost:7272; without its users')
    .addOption(
      new Option(
        '--postgres <address>',
        'of R2R’s database, which needs no running R2R, such as postgres://postgres:postgres@localhost:5432/postgres',
      ).conflicts(['url', 'email', 'apiKeyStdin']),
    )
    .option('--schema <name>', 'where its tables are: R2R_PROJECT_NAME of the server', 'r2r_default')
    .addOption(new Option('--api-key-stdin', 'its key, read from stdin').conflicts('email'))
    .option('--email <e-mail>', 'log in there; the password is read from stdin')
    .option('--report <file>', 'write what was copied and what was not as JSON')
    .option('--state <file>', 'record progress in this file instead of one in the data folder')
    .option('--json', 'one JSON object per line')
    .action(async (options) => ended(await (await import('../migrate.ts')).migrate(options, context)));

  const database = program.command('database').description('look at and change the schema of the database');
  database
    .command('status')
    .description('show the schema and the servers that use it; exits with 1 if steps are to be applied')
    .option('--json', 'machine-readable')
    .action(async (options) => ended(await (await import('../database.ts')).databaseStatus(options, context)));
  database
    .command('migrate')
    .description('bring the schema to this version’s, while servers of the version before run')
    .option('--json', 'machine-readable')
    .action(async (options) => ended(await (await import('../database.ts')).migrateSchema(options, context)));

  program
    .command('doctor')
    .description('check the installation and suggest fixes')
    .option(
      '--no-questions',
      'do not ask models, search services, the reader of pictures and the index a question each',
    )
    .option('--repair', 'rewrite a database of an earlier version to return free space')
    .option('--json', 'machine-readable')
    .action(async (options) => ended(await (await import('../doctor.ts')).doctor(options, context)));
}
