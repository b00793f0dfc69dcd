import { type Command, Option } from 'commander';
import { parseLimit } from '../parse-options.ts';
import type { CommandParts } from './command-parts.ts';

/** `graph show`, `view`, `build` and `extract`. */
export function graphCommands(program: Command, { context, ended }: CommandParts): void {
  const graph = program.command('graph').description('show and build the knowledge graph');
  const loadGraph = () => import('../graph.ts');
  const inCollection = (command: Command) =>
    command.option('--collection <name>', 'by its name or identifier', 'Default').option('--json', 'machine-readable');
  graph
    .command('show')
    .description('show a name, its relationships and their sources')
    .argument('<name...>')
    .addOption(new Option('--limit <number>', 'of each kind').argParser(parseLimit).default(10))
    .option('--json', 'machine-readable')
    .action(async (words, options) => ended(await (await loadGraph()).showGraph(words, options, context)));
  inCollection(graph.command('view').description("show a collection's graph, most mentioned entities first"))
    .addOption(new Option('--limit <number>', 'how many entities').argParser(parseLimit).default(50))
    .action(async (options) => ended(await (await loadGraph()).viewGraph(options, context)));
  inCollection(graph.command('build').description("build a collection's graph and its communities"))
    .option('--model <provider/name>', 'describes the communities')
    .action(async (options) => ended(await (await loadGraph()).buildGraph(options, context)));
  inCollection(graph.command('extract').description('extract documents again, after showing the cost'))
    .option('--model <provider/name>', 'instead of CITEWELL_GRAPH_MODEL or the built-in rules')
    .option('--yes', 'without asking')
    .action(async (options) => ended(await (await loadGraph()).extractGraph(options, context)));
}
