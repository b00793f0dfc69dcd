import { type Command, Option } from 'commander';
import { collect, parseCount } from '../parse-options.ts';
import type { CommandParts } from './command-parts.ts';

/** `sources` and its subcommands. */
export function sourceCommands(program: Command, { context, ended }: CommandParts): void {
  const sources = program.command('sources').description('synchronise documents with folders, sites and other sources');
  const load = () => import('../sources.ts');
  const json = (command: Command) => command.option('--json', 'machine-readable');
  const waits = (command: Command) => json(command).option('--no-wait', 'do not wait for the running server to finish');
  json(
    sources
      .command('list', { isDefault: true })
      .description('list sources, oldest first, with the result of the last synchronisation'),
  ).action(async (options) => ended(await (await load()).listSources(options, context)));
  json(
    sources
      .command('show')
      .description('show one source and its failed items, with the number of tries and the time of the next one')
      .argument('<folder, address or id>'),
  ).action(async (place, options) => ended(await (await load()).showSource(place, options, context)));
  waits(
    sources
      .command('add')
      .description('follow a folder of the server, a site, or another source such as s3://bucket/prefix')
      .argument('<folder or address>'),
  )
    .option('--keep-deleted', 'keep the documents of deleted files; not for a site')
    .option('--sitemap', 'for a site: the pages of its sitemaps instead of linked pages')
    .addOption(
      new Option('--crawl-depth <number>', 'for a site: how many links deep to follow (default 1)').argParser(
        parseCount(10),
      ),
    )
    .addOption(
      new Option('--max-pages <number>', 'for a site: maximum number of pages (default 500)').argParser(
        parseCount(10_000),
      ),
    )
    .addOption(
      new Option(
        '--set <name=value>',
        'a setting of another kind of source, such as endpoint=https://… (repeatable); credentials are read from the environment, such as AWS_SECRET_ACCESS_KEY',
      ).argParser(collect),
    )
    .addOption(
      new Option(
        '--every <minutes>',
        'interval of synchronisations, for other kinds of sources (default 60)',
      ).argParser(parseCount(44_640)),
    )
    .option('--no-schedule', 'for other kinds of sources: synchronise only on request')
    .option('--no-check', 'add a site or another kind of source even if it cannot be read now')
    .addOption(new Option('--collection <name>', 'add documents to this collection (repeatable)').argParser(collect))
    .action(async (place, options) => ended(await (await load()).addSource(place, options, context)));
  waits(
    sources
      .command('change')
      .description('change how a source is followed; its documents and synchronisation state are kept')
      .argument('<folder, address or id>'),
  )
    .option(
      '--credentials',
      'for other kinds of sources: replace the stored credentials by those in the environment, such as AWS_SECRET_ACCESS_KEY',
    )
    .option('--no-check', 'store new credentials and settings without testing them')
    .addOption(
      new Option(
        '--set <name=value>',
        'a setting of another kind of source (repeatable); name= removes it; settings that say what is followed cannot be changed',
      ).argParser(collect),
    )
    .addOption(
      new Option('--every <minutes>', 'interval of synchronisations, for other kinds of sources').argParser(
        parseCount(44_640),
      ),
    )
    .option('--no-schedule', 'for other kinds of sources: synchronise only on request')
    .option('--keep-deleted', 'keep the documents of items deleted from now on; not for a site')
    .option('--no-keep-deleted', 'delete the documents of items deleted from now on; not for a site')
    .option('--sitemap', 'for a site: the pages of its sitemaps instead of linked pages')
    .option('--no-sitemap', 'for a site: linked pages')
    .addOption(
      new Option('--crawl-depth <number>', 'for a site: how many links deep to follow').argParser(parseCount(10)),
    )
    .addOption(new Option('--max-pages <number>', 'for a site: maximum number of pages').argParser(parseCount(10_000)))
    .addOption(
      new Option('--collection <name>', 'add documents to this collection from now on (repeatable)').argParser(collect),
    )
    .action(async (place, options) => ended(await (await load()).changeSource(place, options, context)));
  waits(sources.command('sync').description('synchronise a source now').argument('<folder, address or id>')).action(
    async (place, options) => ended(await (await load()).syncSource(place, options, context)),
  );
  json(
    sources
      .command('remove')
      .description('stop following a source; its documents are kept')
      .argument('<folder, address or id>'),
  ).action(async (place, options) => ended(await (await load()).removeSource(place, options, context)));
}
