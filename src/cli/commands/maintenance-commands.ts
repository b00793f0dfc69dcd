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
    .description('check that a backup is complete and undamaged, without restoring it')
    .argument('<file>')
    .action(async (file: string, _options, command: Command) =>
      // The options are declared by "backup", which consumes them.
      ended(await (await import('../backup.ts')).verify(file, command.optsWithGlobals(), context)),
    );
  passphrase(program.command('restore'))
    .description('restore a backup into an empty data folder or PostgreSQL database')
    .argument('<file>')
    .option('--json', 'one JSON object per line')
    .action(async (file: string, options) =>
      ended(await (await import('../backup.ts')).restore(file, options, context)),
    );

  program
    .command('reindex')
    .description('embed all passages again while the current vectors stay in use, then switch')
    .option('--to <provider/model>', 'use this embedder instead of the configured one')
    .option('--back', 'return to the previous embedder')
    .option('--json', 'one JSON object per line')
    .action(async (options) => ended(await (await import('../reindex.ts')).reindex(options, context)));

  const migrate = program.command('migrate').description('copy data from another server, or to another database');
  migrate
    .command('store')
    .description('copy all records to an empty database; run it again to continue after an interruption')
    .requiredOption('--to <address>', 'postgres://user:password@host/name, or sqlite:FOLDER for a data folder')
    .option('--verify', 'only compare the two databases')
    .option('--json', 'one JSON object per line')
    .action(async (options) => ended(await (await import('../migrate-store.ts')).migrateStore(options, context)));
  migrate
    .command('originals')
    .description('move the uploaded files to S3-compatible storage or back; run it again to continue')
    .requiredOption(
      '--to <place>',
      's3://bucket/prefix (with the settings CITEWELL_ORIGINALS_… and AWS_…), or database',
    )
    .option('--json', 'one JSON object per line')
    .action(async (options) =>
      ended(await (await import('../migrate-originals.ts')).migrateOriginals(options, context)),
    );
  migrate
    .command('r2r')
    .description('copy users, collections, documents and conversations from R2R; run it again to continue')
    .option(
      '--url <address>',
      'address of a running R2R server, such as http://localhost:7272; its users are not copied',
    )
    .addOption(
      new Option(
        '--postgres <address>',
        'address of R2R’s database (R2R need not run), such as postgres://postgres:postgres@localhost:5432/postgres',
      ).conflicts(['url', 'email', 'apiKeyStdin']),
    )
    .option('--schema <name>', 'schema of its tables, the R2R_PROJECT_NAME of the server', 'r2r_default')
    .addOption(new Option('--api-key-stdin', 'read an API key of R2R from stdin').conflicts('email'))
    .option('--email <e-mail>', 'log in to R2R with this address; the password is read from stdin')
    .option('--report <file>', 'write what was copied and what was not as JSON')
    .option('--state <file>', 'record progress in this file instead of one in the data folder')
    .option('--json', 'one JSON object per line')
    .action(async (options) => ended(await (await import('../migrate.ts')).migrate(options, context)));

  const database = program.command('database').description('show and migrate the schema of the database');
  database
    .command('status')
    .description('show the schema and the servers that use it; exits with 1 if migrations are pending')
    .option('--json', 'machine-readable')
    .action(async (options) => ended(await (await import('../database.ts')).databaseStatus(options, context)));
  database
    .command('migrate')
    .description('migrate the schema to this version; servers of the previous version keep running')
    .option('--json', 'machine-readable')
    .action(async (options) => ended(await (await import('../database.ts')).migrateSchema(options, context)));

  program
    .command('doctor')
    .description('check the installation and suggest fixes')
    .option('--no-questions', 'skip the test requests to models, search services, image reading and the index')
    .option('--repair', 'rewrite a database of an earlier version to return free space')
    .option('--json', 'machine-readable')
    .action(async (options) => ended(await (await import('../doctor.ts')).doctor(options, context)));
}
