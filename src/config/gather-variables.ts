import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { ServiceError } from '../errors.ts';
import { fileProblem } from '../shared/file-problem.ts';
import { variableNames, workingFolderVariables } from './variables.ts';

export interface ConfigSources {
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Base of relative paths. */
  readonly cwd?: string;
  /** From the command line; highest precedence. */
  readonly overrides?: Readonly<Record<string, string>>;
  /** Path of an env file named by the user; replaces `CITEWELL_ENV_FILE`. */
  readonly envFile?: string | undefined;
  /** Whether harmless variables are read from a `.env` in `cwd`. */
  readonly readsWorkingFolder?: boolean;
}

export interface GatheredVariables {
  /** The variables that are set and not blank. */
  readonly set: Readonly<Record<string, string>>;
  /** Variables that were ignored and why, for display. */
  readonly warnings: readonly string[];
}

/**
 * Collects variables by precedence: environment, the file named by the user, the working folder's `.env`.
 *
 * The `.env` may come from anybody (a cloned repository, an unpacked archive), and programs such as MCP clients start
 * the service in such folders. So it must not set where keys and text are sent, nor what is run, stored or exposed.
 */
export function gatherVariables(sources: ConfigSources): GatheredVariables {
  const { env = {}, cwd = process.cwd(), overrides = {}, envFile, readsWorkingFolder = true } = sources;
  const environment = withoutBlanks(env);
  const name = envFile ?? environment['CITEWELL_ENV_FILE'];
  const named = name === undefined ? {} : readNamedFile(resolve(cwd, name), envFile === undefined);
  const trusted = { ...named, ...environment, ...overrides };
  const folderFile = join(cwd, '.env');
  if (!readsWorkingFolder || (name !== undefined && resolve(cwd, name) === folderFile)) {
    return { set: trusted, warnings: [] };
  }
  const found = Object.entries(readFolderFile(folderFile));
  const harmless = found.filter(([variable]) => workingFolderVariables.has(variable));
  const refused = found.flatMap(([variable]) =>
    isOurs(variable) && !workingFolderVariables.has(variable) && !(variable in trusted) ? [variable] : [],
  );
  const set = { ...Object.fromEntries(harmless), ...trusted };
  return { set, warnings: refused.length === 0 ? [] : [refusal(folderFile, refused)] };
}

const known: ReadonlySet<string> = new Set(variableNames);
const isOurs = (variable: string): boolean => known.has(variable) || variable.startsWith('CITEWELL_');

function refusal(file: string, variables: readonly string[]): string {
  const list = variables.join(', ');
  return (
    `${list} in ${file} ${variables.length === 1 ? 'is' : 'are'} ignored: a .env file that is not named explicitly can set only some variables. ` +
    'If the file is yours, name it with --settings .env or CITEWELL_ENV_FILE, or set them in the environment.'
  );
}

function readNamedFile(file: string, isFromVariable: boolean): Record<string, string> {
  try {
    return withoutBlanks(parseEnv(readFileSync(file, 'utf8')));
  } catch (error) {
    const source = isFromVariable ? 'CITEWELL_ENV_FILE' : '--settings';
    const isAbsent = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    const problem = isAbsent ? 'there is no such file' : fileProblem(error);
    throw new ServiceError(
      'invalid_request',
      `${source}: ${file} cannot be read: ${problem}. Name a file of variables such as .env.example, or leave this out.`,
      { cause: error },
    );
  }
}

// Nobody asked for this file, so it is no error if it is missing, unreadable, or a folder such as a Python environment.
function readFolderFile(file: string): Record<string, string> {
  try {
    return withoutBlanks(parseEnv(readFileSync(file, 'utf8')));
  } catch {
    return {};
  }
}

// Compose files and CI systems pass unset variables as empty strings, so an empty value means "not set".
function withoutBlanks(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined || value.trim() === '' ? [] : [[name, value]])),
  );
}
