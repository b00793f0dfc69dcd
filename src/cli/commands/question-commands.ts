import { type Command, Option } from 'commander';
import { collect, parseId, parseOffset, parseTimestamp } from '../parse-options.ts';
import type { CommandParts } from './command-parts.ts';
import { AS_OF, agentOptions, searchOptions } from './shared-options.ts';

/** `search`, `ask`, `check` and `chat`. */
export function questionCommands(program: Command, { context, ended }: CommandParts): void {
  searchOptions(program.command('search').description('find passages').argument('<query...>', 'what to look for'))
    .addOption(new Option('--offset <number>', 'skip this many').argParser(parseOffset).default(0))
    .option('--json', 'machine-readable')
    .option('--explain', 'explain the rank of each passage')
    .action(async (words, options) =>
      ended(await (await import('../search.ts')).search(words.join(' '), options, context)),
    );

  agentOptions(
    searchOptions(program.command('ask').description('answer a question, with citations').argument('<question...>'))
      .option('--json', 'machine-readable; events as JSON lines with --agent')
      .option('--agent', 'let an agent search and read in several steps before it answers'),
  ).action(async (words, options) => ended(await (await import('../ask.ts')).ask(words.join(' '), options, context)));

  program
    .command('check')
    .description('check which statements of an answer the documents support; exits with 1 if some are not')
    .argument('[file]', 'the answer; - or nothing reads standard input')
    .addOption(
      new Option(
        '--source <id>',
        'source of the next marker: a passage, a document or a text file; the first is [1]',
      ).argParser(collect),
    )
    .addOption(new Option('--document <id>', 'use this document only (repeatable)').argParser(collect))
    .addOption(new Option('--as-of <time>', AS_OF).argParser(parseTimestamp))
    .option('--no-search', 'do not search other documents for unsupported statements')
    .option('--json', 'machine-readable')
    .action(async (file, options) => ended(await (await import('../check.ts')).check(file, options, context)));

  agentOptions(
    searchOptions(program.command('chat').description('ask in a conversation; reads questions line by line')),
  )
    .addOption(new Option('--conversation <id>', 'continue this conversation').argParser(parseId))
    .option('--json', 'events as JSON lines')
    .action(async (options) => ended(await (await import('../chat.ts')).chat(options, context)));
}
