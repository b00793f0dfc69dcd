import { type Command, Option } from 'commander';
import { collect, parsePort } from '../parse-options.ts';
import type { CommandParts } from './command-parts.ts';
import { mcpOptions } from './mcp-options.ts';

/** Clients whose settings `mcp install` knows. */
const mcpClientNames = ['claude-desktop', 'claude-code', 'cursor', 'vscode', 'windsurf', 'zed'] as const;

/** `serve`, `worker`, `mcp` and `mcp install`. */
export function serverCommands(program: Command, { context, ended }: CommandParts): void {
  program
    .command('serve')
    .description('serve HTTP on this machine')
    .addOption(new Option('--port <number>', 'instead of CITEWELL_PORT; 0 for any free port').argParser(parsePort))
    .option('--host <address>', 'instead of CITEWELL_HOST')
    .addOption(
      new Option(
        '--allow-dir <folder>',
        'allow superusers to watch folders below this one in the library (repeatable)',
      ).argParser(collect),
    )
    .option('--no-work', 'leave background tasks to other servers on the same database; CITEWELL_WORK=off')
    .option('--open', 'open the web page in the browser')
    .action(async (options) => ended(await (await import('../serve.ts')).serve(options, context)));

  program
    .command('worker')
    .description('process background tasks of servers on the same PostgreSQL database; serves no requests')
    .addOption(
      new Option(
        '--port <number>',
        'serve /health and /metrics on this port, for this machine only; CITEWELL_WORKER_PORT',
      ).argParser(parsePort),
    )
    .action(async (options) => ended(await (await import('../worker.ts')).worker(options, context)));

  const mcp = mcpOptions(program.command('mcp'))
    .description('serve MCP over stdin and stdout, for the host that starts it')
    .action(async (options) => ended(await (await import('../mcp.ts')).mcp(options, context)));
  mcp
    .command('install')
    .description('add this server to the settings of a client; keeps a backup and shows what changes')
    .addOption(
      new Option('--client <name>', 'the client to configure').choices([...mcpClientNames]).makeOptionMandatory(),
    )
    .addOption(new Option('--folder <folder>', 'ingest and watch this folder (repeatable)').argParser(collect))
    .option('--print', 'only print the resulting file')
    .action(async (_options, command: Command) =>
      // Both commands have "--folder", and the outer one consumes it.
      ended(await (await import('../mcp-install.ts')).installMcp(command.optsWithGlobals(), context)),
    );
}
