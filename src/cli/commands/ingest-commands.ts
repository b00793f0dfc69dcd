import { type Command, Option } from 'commander';
import { collect, parseCount, parseMetadata } from '../parse-options.ts';
import type { CommandParts } from './command-parts.ts';

/** `ingest` and `ingest retry`. */
export function ingestCommands(program: Command, { context, ended }: CommandParts): void {
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
    .action(async (paths, options) => ended(await (await import('../ingest.ts')).ingest(paths, options, context)));
  ingest
    .command('retry')
    .description('another try for what failed, and the end of what was left unfinished ("./retry" is a folder)')
    .option('--no-wait', 'leave the rest to the server that runs')
    .option('--json', 'machine-readable')
    .action(async (_options, command: Command) =>
      // "--json" is an option of both, and the outer one takes it.
      ended(await (await import('../ingest-retry.ts')).retryIngestions(command.optsWithGlobals(), context)),
    );
}
