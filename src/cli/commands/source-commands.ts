import { type Command, Option } from 'commander';
import { collect, parseCount } from '../parse-options.ts';
import type { CommandParts } from './command-parts.ts';

/** `sources` and its subcommands. */
export function sourceCommands(program: Command, { context, ended }: CommandParts): void {
  const sources = program
    .command('sources')
    .description('folders, sites and other sources that documents are kept in step with');
  const load = () => import('../sources.ts');
  const json = (command: Command) => command.option('--json', 'machine-readable');
  const waits = (command: Command) => json(command).option('--no-wait', 'leave the rest to the running server');
  json(
    sources.command('list', { isDefault: true }).description('oldest first, with what the last synchronisation did'),
  ).action(async (options) => ended(await (await load()).listSources(options, context)));
  json(
    sources
      .command('show')
      .description('one source, and each of its items that failed, with the number of tries and the next one')
      .argument('<folder, address or id>'),
  ).action(async (place, options) => ended(await (await load()).showSource(place, options, context)));
  waits(
    sources
      .command('add')
      .description('follow a folder of the server, a site, or another source such as s3://bucket/prefix')
      .argument('<folder or address>'),
  )
    .option('--keep-deleted', 'keep the documents of files that are deleted; not of a site')
    .option('--sitemap', 'of a site: the pages of its sitemaps, instead of what its links lead to')
    .addOption(
      new Option('--crawl-depth <number>', 'of a site: links followed one after another (default 1)').argParser(
        parseCount(10),
      ),
    )
    .addOption(new Option('--max-pages <number>', 'of a site (default 500)').argParser(parseCount(10_000)))
    .addOption(
      new Option(
        '--set <name=value>',
        'a setting of another source, such as endpoint=https://… (repeatable); credentials are read from the environment, such as AWS_SECRET_ACCESS_KEY',
      ).argParser(collect),
    )
    .addOption(
      new Option('--every <minutes>', 'between two synchronisations of another source (default 60)').argParser(
        parseCount(44_640),
      ),
    )
    .option('--no-schedule', 'of another source: synchronise it only when asked')
    .addOption(new Option('--collection <name>', 'add documents to this collection (repeatable)').argParser(collect))
    .action(async (place, options) => ended(await (await load()).addSource(place, options, context)));
  waits(
    sources
      .command('change')
      .description('change how a source is followed; its documents, and what is known of it, stay')
      .argument('<folder, address or id>'),
  )
    .option(
      '--credentials',
      'of another source: replace the stored credentials by those in the environment, such as AWS_SECRET_ACCESS_KEY',
    )
    .option('--no-check', 'store new credentials and settings without trying them at the source')
    .addOption(
      new Option(
        '--set <name=value>',
        'a setting of another source (repeatable); name= takes one away, and those that say what is followed stay',
      ).argParser(collect),
    )
    .addOption(
      new Option('--every <minutes>', 'between two synchronisations of another source').argParser(parseCount(44_640)),
    )
    .option('--no-schedule', 'of another source: synchronise it only when asked')
    .option('--keep-deleted', 'keep the documents of what is deleted from now on; not of a site')
    .option('--no-keep-deleted', 'delete the documents of what is deleted from now on; not of a site')
    .option('--sitemap', 'of a site: the pages of its sitemaps, instead of what its links lead to')
    .option('--no-sitemap', 'of a site: what its links lead to')
    .addOption(
      new Option('--crawl-depth <number>', 'of a site: links followed one after another').argParser(parseCount(10)),
    )
    .addOption(new Option('--max-pages <number>', 'of a site').argParser(parseCount(10_000)))
    .addOption(
      new Option('--collection <name>', 'add documents to this collection from now on (repeatable)').argParser(collect),
    )
    .action(async (place, options) => ended(await (await load()).changeSource(place, options, context)));
  waits(sources.command('sync').description('look at everything again now').argument('<folder, address or id>')).action(
    async (place, options) => ended(await (await load()).syncSource(place, options, context)),
  );
  json(
    sources.command('remove').description('stop following; the documents stay').argument('<folder, address or id>'),
  ).action(async (place, options) => ended(await (await load()).removeSource(place, options, context)));
}
