import { Command, Option } from 'commander';
import type { CommandParts } from './commands/command-parts.ts';
import { documentCommands } from './commands/document-commands.ts';
import { evalCommands } from './commands/eval-commands.ts';
import { graphCommands } from './commands/graph-commands.ts';
import { ingestCommands } from './commands/ingest-commands.ts';
import { maintenanceCommands } from './commands/maintenance-commands.ts';
import { modelCommands } from './commands/model-commands.ts';
import { pythonCommands } from './commands/python-commands.ts';
import { questionCommands } from './commands/question-commands.ts';
import { serverCommands } from './commands/server-commands.ts';
import { sourceCommands } from './commands/source-commands.ts';
import { userCommands } from './commands/user-commands.ts';
import { exitCodes } from './exit-codes.ts';

export interface ProgramParts extends CommandParts {
  readonly version: string;
}

const HELP_AFTER = `
First steps:
  citewell ingest FOLDER      add your documents
  citewell ask "QUESTION"     ask about them here
  citewell serve --open       ask in the web page

Exit codes:
  ${exitCodes.ok}    done
  ${exitCodes.failure}    failed
  ${exitCodes.usage}    wrong arguments or configuration; nothing was run
  ${exitCodes.partly}    ingest: some documents succeeded, some failed
  ${exitCodes.interrupted}  interrupted with Ctrl-C (${exitCodes.terminated}: by SIGTERM)

Settings come from the environment and the file that --settings or CITEWELL_ENV_FILE names; .env.example explains each.
A .env in the working folder may set only a few harmless ones, and "citewell mcp" ignores it.
Commands use the running server of the data folder if there is one, and open the data folder themselves otherwise.`;

/** The command line. Each command is imported when it is run, which keeps --help and --version fast. */
export function createProgram({ version, ...parts }: ProgramParts): Command {
  const program = new Command('citewell')
    .description('Answers over your own documents, with citations checked against the source.')
    .version(version, '-V, --version')
    .option('--settings <file>', 'also read variables from this file; the environment takes precedence')
    // Node itself looks for the file of this option before the program starts, and ends with a message of its own.
    .addOption(new Option('--env-file <file>', 'earlier name of --settings').hideHelp())
    .addHelpText('after', HELP_AFTER)
    .exitOverride()
    // The context is read lazily: the packaging scripts create a program without one, to read its options.
    .configureOutput({
      writeOut: (text) => parts.context.output.write(text),
      writeErr: (text) => parts.context.output.note(text.replace(/\n$/, '')),
    });

  // In the order of --help.
  serverCommands(program, parts);
  ingestCommands(program, parts);
  questionCommands(program, parts);
  evalCommands(program, parts);
  documentCommands(program, parts);
  sourceCommands(program, parts);
  userCommands(program, parts);
  graphCommands(program, parts);
  modelCommands(program, parts);
  pythonCommands(program, parts);
  maintenanceCommands(program, parts);
  nameHelp(program, program.name());
  return program;
}

/** Ends the usage errors of each command with the line that explains this command. */
function nameHelp(command: Command, line: string): void {
  command.showHelpAfterError(`(${line} --help explains it)`);
  for (const subcommand of command.commands) nameHelp(subcommand, `${line} ${subcommand.name()}`);
}
