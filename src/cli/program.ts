import { Command, Option } from 'commander';
import { answersFrom } from '../evaluation/answers-from.ts';
import { searchModes } from './client.ts';
import type { CommandContext } from './command-context.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import {
  collect,
  parseAmount,
  parseCount,
  parseFilter,
  parseId,
  parseLimit,
  parseMetadata,
  parseNames,
  parseOffset,
  parsePort,
  parseScore,
  parseTimestamp,
} from './parse-options.ts';

export interface ProgramParts {
  readonly version: string;
  readonly context: CommandContext;
  /** Told what the command that ran ended with. */
  readonly ended: (code: ExitCode) => void;
}

/** Clients whose settings `mcp install` knows. */
const mcpClientNames = ['claude-desktop', 'claude-code', 'cursor', 'vscode', 'windsurf', 'zed'] as const;

const AS_OF = 'what the documents said at this time, e.g. 2026-03-01 or 2026-03-01T12:00:00Z';

const HELP_AFTER = `
Exit codes:
  ${exitCodes.ok}    done
  ${exitCodes.failure}    failed
  ${exitCodes.usage}    wrong arguments or a wrong configuration; nothing was tried
  ${exitCodes.partly}    ingest: some were taken in, some failed
  ${exitCodes.interrupted}  interrupted with Ctrl-C (${exitCodes.terminated}: by SIGTERM)

Settings come from the environment and the file that --env-file or CITEWELL_ENV_FILE names; .env.example explains each.
A .env in the working folder may set a few harmless ones only, and "citewell mcp" does not look at it.
Commands use the running server of the data folder when there is one, and work by themselves otherwise.`;

/** The command line. Each command is imported when it is run, so that --help and --version stay quick. */
export function createProgram({ version, context, ended }: ProgramParts): Command {
  const program = new Command('citewell')
    .description('Answers over your own documents, with citations checked against the source.')
    .version(version, '-V, --version')
    .option('--env-file <file>', 'read variables from this file, too; those of the environment win')
    .addHelpText('after', HELP_AFTER)
    .showHelpAfterError('(citewell --help lists commands and options)')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => context.output.write(text),
      writeErr: (text) => context.output.note(text.replace(/\n$/, '')),
    });

  program
    .command('serve')
    .description('serve HTTP on this machine')
    .addOption(new Option('--port <number>', 'instead of CITEWELL_PORT; 0 takes any free port').argParser(parsePort))
    .option('--host <address>', 'instead of CITEWELL_HOST')
    .action(async (options) => ended(await (await import('./serve.ts')).serve(options, context)));

  const mcp = program
    .command('mcp')
    .description('serve MCP over stdin and stdout, for the host that starts it')
    .addOption(new Option('--tools <names>', 'exactly these tools, separated by commas').argParser(parseNames))
    .addOption(new Option('--toolsets <names>', 'these toolsets instead of the usual ones').argParser(parseNames))
    .addOption(new Option('--exclude-tools <names>', 'never these tools').argParser(parseNames))
    .option('--read-only', 'no tool that changes anything')
    .option('--write', 'also the tools that take documents in and delete them')
    .addOption(
      new Option('--folder <folder>', 'take this folder in at start and follow its changes (repeatable)').argParser(
        collect,
      ),
    )
    .addOption(
      new Option('--allow-dir <folder>', 'let tools read files below this folder (repeatable)').argParser(collect),
    )
    .option('--tool-prefix <text>', 'put this before the names of all tools')
    .action(async (options) => ended(await (await import('./mcp.ts')).mcp(options, context)));
  mcp
    .command('install')
    .description('add this server to the settings of a client; keeps a backup and shows what changes')
    .addOption(new Option('--client <name>', 'whose settings').choices([...mcpClientNames]).makeOptionMandatory())
    .addOption(
      new Option('--folder <folder>', 'have it take this folder in and follow it (repeatable)').argParser(collect),
    )
    .option('--print', 'only show what the file would be')
    .action(async (_options, command: Command) =>
      // "--folder" is an option of both, and the outer one takes it.
      ended(await (await import('./mcp-install.ts')).installMcp(command.optsWithGlobals(), context)),
    );

  const ingest = program
    .command('ingest')
    .description('take in files, folders, globs and web pages; run it again to take in what is new or changed')
    .argument('<path-or-url...>', 'files, folders (with everything below), "quoted/**/globs" and http(s) addresses')
    .addOption(new Option('--collection <name>', 'put them into this collection (repeatable)').argParser(collect))
    .addOption(
      new Option(
        '--metadata <key=value>',
        'attach to each document (repeatable); JSON values keep their type',
      ).argParser(parseMetadata),
    )
    .option('--sitemap', 'with an address: take in the pages that the sitemap of its site lists')
    .addOption(
      new Option('--crawl-depth <number>', 'with an address: follow links on its site, below its folder').argParser(
        parseCount(10),
      ),
    )
    .addOption(new Option('--max-pages <number>', 'of one site (500 unless said)').argParser(parseCount(10_000)))
    .option('--watch', 'stay, and follow edits, moves and deletions below the folders')
    .option('--keep-deleted', 'with --watch: keep the documents of files that are deleted')
    .option('--dry-run', 'only say which files would be read')
    .option('--enrich', 'have a model place each passage in its document, for search; says first what it comes to')
    .option('--yes', 'with --enrich: go on without asking')
    .option('--allow-private-addresses', 'let an address lead into this machine or its network')
    .option('--json', 'one JSON object per line, a summary last')
    .action(async (paths, options) => ended(await (await import('./ingest.ts')).ingest(paths, options, context)));
  ingest
    .command('retry')
    .description('another try for what failed, and the end of what was left unfinished ("./retry" is a folder)')
    .option('--no-wait', 'leave the rest to the server that runs')
    .option('--json', 'machine-readable')
    .action(async (_options, command: Command) =>
      // "--json" is an option of both, and the outer one takes it.
      ended(await (await import('./ingest-retry.ts')).retryIngestions(command.optsWithGlobals(), context)),
    );

  searchOptions(program.command('search').description('find passages').argument('<query...>', 'what to look for'))
    .addOption(new Option('--offset <number>', 'skip this many').argParser(parseOffset).default(0))
    .option('--json', 'machine-readable')
    .option('--explain', 'show how each passage came to its place')
    .action(async (words, options) =>
      ended(await (await import('./search.ts')).search(words.join(' '), options, context)),
    );

  agentOptions(
    searchOptions(program.command('ask').description('answer a question, with citations').argument('<question...>'))
      .option('--json', 'machine-readable; events as JSON lines with --agent')
      .option('--agent', 'let an agent search and read, step by step, before it answers'),
  ).action(async (words, options) => ended(await (await import('./ask.ts')).ask(words.join(' '), options, context)));

  program
    .command('check')
    .description('say which statements of an answer the documents support; exits with 1 when some are not')
    .argument('[file]', 'the answer; - or nothing reads standard input')
    .addOption(
      new Option(
        '--source <id>',
        'what the next marker stands for: a passage, a document or a text file; the first is [1]',
      ).argParser(collect),
    )
    .addOption(new Option('--document <id>', 'rest on this document only (repeatable)').argParser(collect))
    .addOption(new Option('--as-of <time>', AS_OF).argParser(parseTimestamp))
    .option('--no-search', 'do not look in other documents for what the sources do not say')
    .option('--json', 'machine-readable')
    .action(async (file, options) => ended(await (await import('./check.ts')).check(file, options, context)));

  agentOptions(
    searchOptions(program.command('chat').description('ask in a conversation; reads questions line by line')),
  )
    .addOption(new Option('--conversation <id>', 'go on with this one').argParser(parseId))
    .option('--json', 'events as JSON lines')
    .action(async (options) => ended(await (await import('./chat.ts')).chat(options, context)));

  evalCommands(program, context, ended);

  const documents = program.command('documents').description('list, show, restore and delete documents');
  documents
    .command('list', { isDefault: true })
    .description('newest first')
    .addOption(new Option('--limit <number>', 'how many').argParser(parseLimit).default(50))
    .addOption(new Option('--offset <number>', 'skip this many').argParser(parseOffset).default(0))
    .option('--json', 'machine-readable')
    .action(async (options) => ended(await (await import('./documents.ts')).listDocuments(options, context)));
  documents
    .command('show')
    .description('what is known of a document')
    .argument('<id>')
    .option('--chunks', 'with the passages it was split into')
    .addOption(new Option('--as-of <time>', AS_OF).argParser(parseTimestamp))
    .option('--json', 'machine-readable')
    .action(async (id, options) => ended(await (await import('./documents.ts')).showDocument(id, options, context)));
  documents
    .command('versions')
    .description('what the document has been, newest first')
    .argument('<id>')
    .addOption(new Option('--limit <number>', 'how many').argParser(parseLimit).default(50))
    .addOption(new Option('--offset <number>', 'skip this many').argParser(parseOffset).default(0))
    .option('--json', 'machine-readable')
    .action(async (id, options) =>
      ended(await (await import('./document-versions.ts')).listVersions(id, options, context)),
    );
  documents
    .command('restore')
    .description('make the document once more what it was in a version; nothing is embedded')
    .argument('<id>')
    .argument('<version>', 'such as v0')
    .option('--json', 'machine-readable')
    .action(async (id, version, options) =>
      ended(await (await import('./document-versions.ts')).restoreVersion(id, version, options, context)),
    );
  documents
    .command('delete')
    .description('remove documents and everything made from them')
    .argument('<id...>')
    .option('--json', 'machine-readable')
    .action(async (ids, options) =>
      ended(await (await import('./documents.ts')).deleteDocuments(ids, options, context)),
    );

  userCommands(program.command('users').description('who may log in'), context, ended);

  const graph = program.command('graph').description('what the documents say of whom and what');
  const loadGraph = () => import('./graph.ts');
  const inCollection = (command: Command) =>
    command.option('--collection <name>', 'by its name or identifier', 'Default').option('--json', 'machine-readable');
  graph
    .command('show')
    .description('what is said of a name, with whom it is related, and where that stands')
    .argument('<name...>')
    .addOption(new Option('--limit <number>', 'of each kind').argParser(parseLimit).default(10))
    .option('--json', 'machine-readable')
    .action(async (words, options) => ended(await (await loadGraph()).showGraph(words, options, context)));
  inCollection(graph.command('view').description("a collection's graph, the most mentioned first"))
    .addOption(new Option('--limit <number>', 'how many entities').argParser(parseLimit).default(50))
    .action(async (options) => ended(await (await loadGraph()).viewGraph(options, context)));
  inCollection(graph.command('build').description("gather what a collection's documents say, and find communities"))
    .option('--model <provider/name>', 'describes the communities')
    .action(async (options) => ended(await (await loadGraph()).buildGraph(options, context)));
  inCollection(graph.command('extract').description('extract documents anew, after saying what that costs'))
    .option('--model <provider/name>', 'instead of CITEWELL_GRAPH_MODEL or the rules that need none')
    .option('--yes', 'without asking')
    .action(async (options) => ended(await (await loadGraph()).extractGraph(options, context)));

  program
    .command('status')
    .description('what is stored, and what answers')
    .option('--json', 'machine-readable')
    .action(async (options) => ended(await (await import('./status.ts')).status(options, context)));

  program
    .command('reindex')
    .description('embed everything anew, beside what is there, then switch')
    .option('--to <provider/model>', 'with this embedder instead of the configured one')
    .option('--back', 'return to the embedder before')
    .option('--json', 'one JSON object per line')
    .action(async (options) => ended(await (await import('./reindex.ts')).reindex(options, context)));

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
    .action(async (options) => ended(await (await import('./migrate.ts')).migrate(options, context)));

  program
    .command('doctor')
    .description('check what Citewell needs, and say how to fix what is wrong')
    .option('--repair', 'write a database of an earlier version anew that keeps the space of what was deleted')
    .option('--json', 'machine-readable')
    .action(async (options) => ended(await (await import('./doctor.ts')).doctor(options, context)));

  return program;
}

function evalCommands(program: Command, context: CommandContext, ended: ProgramParts['ended']): void {
  const evaluation = searchOptions(
    program
      .command('eval')
      .description('measure how well your own questions are answered, and what changed since the last time')
      .argument('<questions>', 'a file of JSON lines or CSV: question, document, passage, answer, unanswerable'),
  )
    .addOption(
      new Option('--answers <kind>', 'judge answers too; by default those that cost nothing').choices([...answersFrom]),
    )
    .option('--model <provider/name>', 'answers, instead of CITEWELL_MODEL')
    .option('--baseline <file>', 'compare with this evaluation instead of the last one of these questions')
    .option('--no-baseline', 'compare with none')
    .option('--fail-on-loss', 'exit with 1 when a score is significantly worse than before (p < 0.05)')
    .addOption(
      new Option('--fail-below <score=number>', 'exit with 1 when a score is below (repeatable)').argParser(parseScore),
    )
    .option('--all', 'list every question that something is wrong with')
    .option('--json', 'machine-readable')
    .action(async (path, options) => ended(await (await import('./eval.ts')).evaluate(path, options, context)));
  evaluation
    .command('make')
    .description('propose questions from your documents, as JSON lines on stdout ("./make" is a file)')
    .addOption(new Option('--count <number>', 'how many').argParser(parseCount(10_000)).default(50))
    .option('--with-model [provider/name]', 'have them written by a model, which costs money')
    .action(async (options) => ended(await (await import('./eval-make.ts')).makeQuestions(options, context)));
}

function userCommands(users: Command, context: CommandContext, ended: ProgramParts['ended']): void {
  const load = () => import('./users.ts');
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

function searchOptions(command: Command): Command {
  return command
    .addOption(new Option('--limit <number>', 'how many passages').argParser(parseLimit).default(10))
    .addOption(new Option('--as-of <time>', AS_OF).argParser(parseTimestamp))
    .addOption(new Option('--filter <json>', `such as '{"document_type": {"$eq": "pdf"}}'`).argParser(parseFilter))
    .addOption(
      new Option('--mode <mode>', 'how to search; by default what fits the embedder').choices([...searchModes]),
    );
}

function agentOptions(command: Command): Command {
  return command
    .option('--research', 'plan, ask sub-questions and review the draft')
    .option('--model <provider/name>', 'instead of CITEWELL_MODEL')
    .option('--thinking', "show the model's thinking")
    .addOption(new Option('--max-steps <number>', 'turns of the model at most').argParser(parseCount(100)))
    .addOption(
      new Option('--max-tokens <number>', 'tokens at most, read and written').argParser(parseCount(1_000_000_000)),
    )
    .addOption(new Option('--max-seconds <number>', 'time at most').argParser(parseAmount))
    .addOption(new Option('--max-cost <dollars>', 'money at most, by CITEWELL_PRICES').argParser(parseAmount));
}
