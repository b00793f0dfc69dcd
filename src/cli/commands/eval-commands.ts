import { type Command, Option } from 'commander';
import { answersFrom } from '../../evaluation/answers-from.ts';
import { parseCount, parseScore } from '../parse-options.ts';
import type { CommandParts } from './command-parts.ts';
import { searchOptions } from './shared-options.ts';

/** `eval` and `eval make`. */
export function evalCommands(program: Command, { context, ended }: CommandParts): void {
  const evaluation = searchOptions(
    program
      .command('eval')
      .description('evaluate your own questions, and compare with the last evaluation')
      .argument('<questions>', 'a file of JSON lines or CSV: question, document, passage, answer, unanswerable'),
  )
    .addOption(
      new Option('--answers <kind>', 'evaluate answers too; by default those that cost nothing').choices([
        ...answersFrom,
      ]),
    )
    .option('--model <provider/name>', 'answers, instead of CITEWELL_MODEL')
    .option('--baseline <file>', 'compare with this evaluation instead of the last one of these questions')
    .option('--no-baseline', 'compare with none')
    .option('--fail-on-loss', 'exit with 1 when a score is significantly worse than before (p < 0.05)')
    .addOption(
      new Option('--fail-below <score=number>', 'exit with 1 when a score is below (repeatable)').argParser(parseScore),
    )
    .option('--all', 'list all questions with problems')
    .option('--json', 'machine-readable')
    .action(async (path, options) => ended(await (await import('../eval.ts')).evaluate(path, options, context)));
  evaluation
    .command('make')
    .description('propose questions from your documents, as JSON lines on stdout ("./make" is a file)')
    .addOption(new Option('--count <number>', 'how many').argParser(parseCount(10_000)).default(50))
    .option('--with-model [provider/name]', 'let a model write them, which costs money')
    .action(async (options) => ended(await (await import('../eval-make.ts')).makeQuestions(options, context)));
}
