import { type Command, Option } from 'commander';
import { parseLimit, parseOffset, parseTimestamp } from '../parse-options.ts';
import type { CommandParts } from './command-parts.ts';
import { AS_OF } from './shared-options.ts';

const DOCUMENT = 'its path, address, title, identifier, or the beginning of its identifier';

/** `documents list`, `show`, `versions`, `restore` and `delete`. */
export function documentCommands(program: Command, { context, ended }: CommandParts): void {
  const documents = program.command('documents').description('list, show, restore and delete documents');
  documents
    .command('list', { isDefault: true })
    .description('list documents, newest first unless --sort says otherwise')
    .addOption(new Option('--limit <number>', 'how many').argParser(parseLimit).default(50))
    .addOption(new Option('--offset <number>', 'skip this many').argParser(parseOffset).default(0))
    .addOption(new Option('--sort <by>', 'what to sort by').choices(['title', 'size', 'date', 'state']).default('date'))
    .option('--reverse', 'in the reverse order')
    .option('--json', 'machine-readable')
    .action(async (options) => ended(await (await import('../documents.ts')).listDocuments(options, context)));
  documents
    .command('show')
    .description('show the record of a document')
    .argument('<document>', DOCUMENT)
    .option('--chunks', 'with the passages it was split into')
    .addOption(new Option('--as-of <time>', AS_OF).argParser(parseTimestamp))
    .option('--json', 'machine-readable')
    .action(async (id, options) => ended(await (await import('../documents.ts')).showDocument(id, options, context)));
  documents
    .command('versions')
    .description('list the versions of a document, newest first')
    .argument('<document>', DOCUMENT)
    .addOption(new Option('--limit <number>', 'how many').argParser(parseLimit).default(50))
    .addOption(new Option('--offset <number>', 'skip this many').argParser(parseOffset).default(0))
    .option('--json', 'machine-readable')
    .action(async (id, options) =>
      ended(await (await import('../document-versions.ts')).listVersions(id, options, context)),
    );
  documents
    .command('restore')
    .description('restore an earlier version of a document, with its stored vectors')
    .argument('<document>', DOCUMENT)
    .argument('<version>', 'such as v0')
    .option('--json', 'machine-readable')
    .action(async (id, version, options) =>
      ended(await (await import('../document-versions.ts')).restoreVersion(id, version, options, context)),
    );
  documents
    .command('delete')
    .description('delete documents and everything derived from them')
    .argument('<document...>', DOCUMENT)
    .option('--json', 'machine-readable')
    .action(async (ids, options) =>
      ended(await (await import('../documents.ts')).deleteDocuments(ids, options, context)),
    );
}
