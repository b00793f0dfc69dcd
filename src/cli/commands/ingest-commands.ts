import { type Command, Option } from 'commander';
import { collect, parseCount, parseMetadata } from '../parse-options.ts';
import type { CommandParts } from './command-parts.ts';

/** `ingest` and `ingest retry`. */
export function ingestCommands(program: Command, { context, ended }: CommandParts): void {
  const ingest = program
    .command('ingest')
    .description('ingest files, folders, globs and web pages; run it again to ingest what is new or changed')
    .argument('<path-or-url...>', 'files, folders (with everything below), "quoted/**/globs" and http(s) addresses')
    .addOption(new Option('--collection <name>', 'add documents to this collection (repeatable)').argParser(collect))
    .addOption(
      new Option(
        '--metadata <key=value>',
        'metadata for each document (repeatable); JSON values keep their type',
      ).argParser(parseMetadata),
    )
    .option('--sitemap', 'with an address: ingest the pages listed in the sitemap of its site')
    .addOption(
      new Option('--crawl-depth <number>', 'with an address: follow links on its site, below its folder').argParser(
        parseCount(10),
      ),
    )
    .addOption(new Option('--max-pages <number>', 'of one site (default 500)').argParser(parseCount(10_000)))
    .option('--watch', 'keep running, and follow edits, moves and deletions below the folders')
    .option('--keep-deleted', 'with --watch: keep the documents of files that are deleted')
    .option('--dry-run', 'only list the files that would be read')
    .option('--enrich', 'have a model write a context for each passage (contextual retrieval); shows the cost first')
    .option('--yes', 'with --enrich: go on without asking')
    .option('--allow-private-addresses', 'allow addresses of this machine and its network')
    .option('--json', 'one JSON object per line, a summary last')
    .action(async (paths, options) => ended(await (await import('../ingest.ts')).ingest(paths, options, context)));
  ingest
    .command('retry')
    .description('retry failed documents and finish unfinished ones ("./retry" is a folder)')
    .option('--no-wait', 'do not wait for the running server to finish')
    .option('--json', 'machine-readable')
    .action(async (_options, command: Command) =>
      // Both commands have "--json", and the outer one consumes it.
      ended(await (await import('../ingest-retry.ts')).retryIngestions(command.optsWithGlobals(), context)),
    );
}
