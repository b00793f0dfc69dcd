import type { Command } from 'commander';
import type { CommandParts } from './command-parts.ts';

/** `python add|list|remove`. */
export function pythonCommands(program: Command, { context, ended }: CommandParts): void {
  const python = program.command('python').description('packages for the code that python_executor runs');

  python
    .command('add')
    .description("download packages of Pyodide's release and what they need, checking their checksums")
    .argument('<names...>', 'for example numpy pandas matplotlib')
    .option(
      '--from <folder>',
      'take the files from this folder instead, for machines without a network, or other wheels',
    )
    .option('--json', 'print the installed packages as JSON')
    .action(async (names: string[], options) =>
      ended(await (await import('../python.ts')).addPythonPackages(names, options, context)),
    );

  python
    .command('list')
    .description('show the installed packages')
    .option('--json', 'one JSON object per line')
    .action(async (options) => ended(await (await import('../python.ts')).listPythonPackages(options, context)));

  python
    .command('remove')
    .description('delete packages, and those that only they needed')
    .argument('<names...>')
    .action(async (names: string[]) =>
      ended(await (await import('../python.ts')).removePythonPackages(names, context)),
    );
}
