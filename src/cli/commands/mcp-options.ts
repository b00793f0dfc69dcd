import { type Command, Option } from 'commander';
import { collect, parseNames } from '../parse-options.ts';

/** Adds the options of `citewell mcp`. */
export function mcpOptions(command: Command): Command {
  return command
    .addOption(new Option('--tools <names>', 'exactly these tools, separated by commas').argParser(parseNames))
    .addOption(new Option('--toolsets <names>', 'these toolsets instead of the default ones').argParser(parseNames))
    .addOption(new Option('--exclude-tools <names>', 'never these tools').argParser(parseNames))
    .option('--read-only', 'no tool that changes anything')
    .option('--write', 'also the tools that ingest and delete documents')
    .addOption(
      new Option('--folder <folder>', 'ingest this folder at start and watch its changes (repeatable)').argParser(
        collect,
      ),
    )
    .addOption(
      new Option('--allow-dir <folder>', 'let tools read files below this folder (repeatable)').argParser(collect),
    )
    .option('--tool-prefix <text>', 'prefix for the names of all tools');
}
