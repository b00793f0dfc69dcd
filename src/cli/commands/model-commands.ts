import type { Command } from 'commander';
import type { CommandParts } from './command-parts.ts';

/** `models list|install|remove`. */
export function modelCommands(program: Command, { context, ended }: CommandParts): void {
  const models = program.command('models').description('embedding models and rerankers that run on this machine');

  models
    .command('list')
    .description('show the installed models, those that can be installed, and those of Ollama and other local servers')
    .option('--json', 'one JSON object per line')
    .action(async (options) => ended(await (await import('../models.ts')).listModels(options, context)));

  models
    .command('install')
    .description('download a model, checking its checksums; run it again to continue')
    .argument('<name>', 'a name that "models list" shows, or <owner>/<name> of the Hugging Face hub')
    .option('--from <folder>', 'copy it from this folder instead, for machines without a network')
    .option('--json', 'print the installed model as JSON')
    .action(async (name: string, options) =>
      ended(await (await import('../models.ts')).installLocalModel(name, options, context)),
    );

  models
    .command('remove')
    .description('delete an installed model')
    .argument('<name>')
    .action(async (name: string) => ended(await (await import('../models.ts')).removeLocalModel(name, context)));
}
