import { existsSync } from 'node:fs';
import { copyFile, mkdir, readFile, realpath, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { applyEdits, modify, type ParseError, parse, printParseErrorCode } from 'jsonc-parser';
import { ServiceError } from '../errors.ts';
import { writeWholeFile } from '../shared/write-whole-file.ts';
import { readVersion } from '../version.ts';
import type { CommandContext } from './command-context.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import { foldersOf } from './folders-of.ts';

export interface McpInstallOptions {
  readonly client: McpClientName;
  readonly folder?: readonly string[];
  readonly print?: boolean;
}

interface McpClient {
  /** Absolute path of the file from which the client reads its servers. */
  readonly file: (places: SystemFolders) => string;
  /** The member of the file that lists servers by name. */
  readonly member: string;
  /** Whether the client requires the server's `type`. */
  readonly wantsType?: boolean;
  /** How to make the client reload the file. */
  readonly nextStep: string;
}

interface SystemFolders {
  readonly home: string;
  /** Folder in which programs keep their settings on this system. */
  readonly settings: string;
  readonly cwd: string;
}

export const mcpClients = {
  'claude-desktop': {
    file: ({ settings }) => join(settings, 'Claude', 'claude_desktop_config.json'),
    member: 'mcpServers',
    nextStep: 'Quit Claude Desktop completely and start it again.',
  },
  'claude-code': {
    file: ({ cwd }) => join(cwd, '.mcp.json'),
    member: 'mcpServers',
    wantsType: true,
    nextStep: 'Start Claude Code in this folder; it asks once whether to use the server.',
  },
  cursor: {
    file: ({ home }) => join(home, '.cursor', 'mcp.json'),
    member: 'mcpServers',
    nextStep: 'Cursor reads it at once; Settings > MCP shows the server.',
  },
  vscode: {
    file: ({ settings }) => join(settings, 'Code', 'User', 'mcp.json'),
    member: 'servers',
    wantsType: true,
    nextStep: 'In VS Code, run "MCP: List Servers" and start citewell.',
  },
  windsurf: {
    file: ({ home }) => join(home, '.codeium', 'windsurf', 'mcp_config.json'),
    member: 'mcpServers',
    nextStep: 'Press "Refresh" in the MCP settings of Windsurf.',
  },
  zed: {
    file: ({ home, settings }) =>
      process.platform === 'win32' ? join(settings, 'Zed', 'settings.json') : join(home, '.config/zed/settings.json'),
    member: 'context_servers',
    nextStep: 'Zed reads it at once; the agent panel shows the server.',
  },
} satisfies Record<string, McpClient>;

export type McpClientName = keyof typeof mcpClients;

/** `citewell mcp install`: adds this program to a client's settings and leaves everything else unchanged. */
export async function installMcp(options: McpInstallOptions, context: CommandContext): Promise<ExitCode> {
  const { output } = context;
  const client: McpClient = mcpClients[options.client];
  const { dataDir } = await context.config();
  const folders = await foldersOf(options.folder ?? []);
  const file = await realPathOf(client.file(systemFolders()));
  const server = {
    ...(client.wantsType === true && { type: 'stdio' }),
    ...ownCommand(folders.flatMap((folder) => ['--folder', folder])),
    env: { CITEWELL_DATA_DIR: resolve(dataDir) },
  };
  const before = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw new ServiceError('invalid_request', `${file} cannot be read: ${error.message}.`, { cause: error });
  });
  const after = withServer(before, [client.member, 'citewell'], server, file);
  if (options.print === true) {
    output.print(after.trimEnd());
    output.note(`This would be written to ${file}. Nothing was changed.`);
    return exitCodes.ok;
  }
  if (after === before) {
    output.print(`${file} already contains it.`);
    return exitCodes.ok;
  }
  for (const line of changedLines(before, after)) {
    output.print(output.style(line.startsWith('+') ? 'green' : 'red', line));
  }
  try {
    const backup = before === '' ? undefined : await keepBackup(file);
    await replaceFile(file, after);
    output.print(`Written to ${file}${backup === undefined ? '' : `; the previous content is in ${backup}`}.`);
  } catch (error) {
    throw new ServiceError('invalid_request', `${file} cannot be written: ${(error as Error).message}.`, {
      cause: error,
    });
  }
  output.note(client.nextStep);
  if (folders.length === 0) output.note('Give --folder PATH to ingest and watch a folder.');
  return exitCodes.ok;
}

function systemFolders(): SystemFolders {
  const home = homedir();
  const settings = {
    darwin: join(home, 'Library', 'Application Support'),
    win32: join(home, 'AppData', 'Roaming'),
  } as Readonly<Record<string, string>>;
  return { home, settings: settings[process.platform] ?? join(home, '.config'), cwd: process.cwd() };
}

/** Resolves symbolic links, so that the target is replaced and not the link. */
const realPathOf = (path: string): Promise<string> => realpath(path).catch(() => path);

/** How to start this program: by path from a checkout, otherwise as the package in this version. */
function ownCommand(more: readonly string[]): { readonly command: string; readonly args: readonly string[] } {
  const program = fileURLToPath(new URL('citewell.js', import.meta.url));
  if (!program.includes(`${sep}node_modules${sep}`)) {
    const compiled = program.replace(join('src', 'cli'), join('dist', 'src', 'cli'));
    const isSource = !program.includes(join('dist', 'src', 'cli'));
    return { command: process.execPath, args: [isSource && existsSync(compiled) ? compiled : program, 'mcp', ...more] };
  }
  const args = ['-y', `citewell@${readVersion()}`, 'mcp', ...more];
  // On Windows "npx" starts only through the shell.
  return process.platform === 'win32' ? { command: 'cmd', args: ['/c', 'npx', ...args] } : { command: 'npx', args };
}

/** The settings with the server added; comments, order and everything else are kept. */
function withServer(text: string, path: readonly string[], server: object, file: string): string {
  const errors: ParseError[] = [];
  const settings: unknown = parse(text, errors, { allowTrailingComma: true, allowEmptyContent: true });
  const [error] = errors;
  if (error !== undefined || (text.trim() !== '' && (typeof settings !== 'object' || settings === null))) {
    const where = error === undefined ? 'no object' : `${printParseErrorCode(error.error)} at offset ${error.offset}`;
    throw new ServiceError('invalid_request', `${file} is not valid JSON (${where}). Correct it first.`);
  }
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  const formattingOptions = { insertSpaces: !/\n\t/.test(text), tabSize: 2, eol };
  const after = applyEdits(text, modify(text, [...path], server, { formattingOptions }));
  return after.endsWith('\n') || text !== '' ? after : `${after}\n`;
}

/** The changed lines, without the common beginning and end. */
function changedLines(before: string, after: string): string[] {
  const [old, fresh] = [before, after].map((text) => text.trimEnd().split('\n')) as [string[], string[]];
  let start = 0;
  while (start < Math.min(old.length, fresh.length) && old[start] === fresh[start]) start++;
  let end = 0;
  while (end < Math.min(old.length, fresh.length) - start && old.at(-1 - end) === fresh.at(-1 - end)) end++;
  return [
    ...old.slice(start, old.length - end).map((line) => `- ${line}`),
    ...fresh.slice(start, fresh.length - end).map((line) => `+ ${line}`),
  ].filter((line) => line !== '- ');
}

async function keepBackup(file: string): Promise<string> {
  const backup = `${file}.backup-${new Date().toISOString().replaceAll(/[:.]/g, '-')}`;
  await copyFile(file, backup);
  return backup;
}

/** Replaces the file atomically and keeps its permissions. */
async function replaceFile(file: string, text: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  const mode = await stat(file).then(
    (info) => info.mode,
    () => 0o600,
  );
  await writeWholeFile(file, text, { mode });
}
