import { join } from 'node:path';
import { triedModelChoices } from '../adapters/with-local-model.ts';
import type { Config } from '../config.ts';
import { ServiceError } from '../errors.ts';
import { catalog, MODELS_FOLDER } from '../local-models/catalog.ts';
import { installModel } from '../local-models/install-model.ts';
import { type InstalledModel, installedModels, needsRuntime, removeModel } from '../local-models/model-folder.ts';
import { findRuntime, installRuntime } from '../local-models/onnx-runtime.ts';
import { describeEmbedder, describeFound, type FoundEmbedder } from '../models/local-servers.ts';
import { byteCount } from '../shared/byte-count.ts';
import { openUserCache } from '../user-cache.ts';
import type { CommandContext } from './command-context.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import { table } from './layout.ts';

/** The folder of local models. Throws `not_configured` without a cache folder, as a temporary one would lose them. */
export function modelsFolderOf({ cacheDir }: Config): string {
  const { path, problem, close } = openUserCache(cacheDir);
  if (problem === undefined) return join(path, MODELS_FOLDER);
  close();
  throw new ServiceError('not_configured', `There is no folder for models. ${problem.replace(/ A temporary .*/, '')}`);
}

/** `citewell models list`: the installed models, those of the catalog, and those of model servers on this machine. */
export async function listModels({ json }: { readonly json?: boolean }, context: CommandContext): Promise<ExitCode> {
  const { output } = context;
  const config = await context.config();
  const installed = await installedModels(modelsFolderOf(config));
  const { found, embedders } = await triedModelChoices(config);
  const offered = catalog.filter(({ name }) => !installed.some((model) => model.name === name));
  if (json) {
    for (const model of installed) output.print(JSON.stringify({ ...model, installed: true }));
    for (const model of offered) output.print(JSON.stringify({ ...model, installed: false }));
    for (const model of found) output.print(JSON.stringify({ ...model, kind: 'language model', installed: true }));
    for (const model of embedders) output.print(JSON.stringify({ ...model, kind: 'embedding', installed: true }));
    return exitCodes.ok;
  }
  const used = [config.embeddingModel, config.reranker?.name];
  const rows = [
    ...installed.map(({ name, kind, sizeInBytes, source }) => [
      name,
      kind,
      byteCount(sizeInBytes),
      used.includes(`local/${name}`) ? 'installed, in use' : 'installed',
      `from ${source}`,
    ]),
    ...offered.map(({ name, kind, megabytes, languages, licence }) => [
      name,
      kind,
      `${megabytes} MB`,
      'not installed',
      `${languages}; ${licence}`,
    ]),
    ...found.map((model) =>
      foundRow(model, { kind: 'language model', description: describeFound(model), used: config.models.quality }),
    ),
    ...embedders.map((model) =>
      foundRow(model, { kind: 'embedding', description: describeEmbedder(model), used: config.embeddingModel }),
    ),
  ];
  for (const line of table(rows)) output.print(line);
  output.note(
    'Install one with: citewell models install <name>; any other ONNX or Model2Vec model of the hub as <owner>/<name>.',
  );
  return exitCodes.ok;
}

/** A row of the table for a model that a server on this machine offers. */
const foundRow = (
  { name, settings }: FoundEmbedder & { readonly settings: readonly string[] },
  {
    kind,
    description,
    used,
  }: { readonly kind: string; readonly description: string; readonly used: string | undefined },
): readonly string[] => [
  name,
  kind,
  '',
  name === used ? 'found, in use' : 'found',
  `${description.slice(name.length + 1)}; set ${settings.join(' and ')}`,
];

export interface InstallModelOptions {
  readonly from?: string;
  readonly json?: boolean;
}

/** `citewell models install`: the model, and ONNX Runtime if it is missing. */
export async function installLocalModel(
  name: string,
  { from, json }: InstallModelOptions,
  context: CommandContext,
): Promise<ExitCode> {
  const { output, interruption } = context;
  const config = await context.config();
  const modelsFolder = modelsFolderOf(config);
  const signal = interruption.stop;
  let shown = '';
  const model = await installModel({
    name,
    modelsFolder,
    hub: config.modelHub,
    from,
    signal,
    onProgress: ({ done, total, file }) => {
      output.status(`${file}  ${byteCount(done)} of ${byteCount(total)}`);
      // Without a terminal, no line can be rewritten, so each file gets one.
      if (!output.isInteractive && file !== shown) output.note(`${file} (${byteCount(total)} in all)`);
      shown = file;
    },
  });
  if (needsRuntime(model) && findRuntime(modelsFolder) === undefined) {
    output.note('Installing ONNX Runtime with npm, once for all models; this downloads about 100 MB …');
    await installRuntime(modelsFolder, signal);
  }
  if (json) output.print(JSON.stringify(model));
  else for (const line of nextSteps(model)) output.print(line);
  return exitCodes.ok;
}

const nextSteps = ({ name, kind, path, sizeInBytes }: InstalledModel): string[] => [
  `Installed ${name} (${byteCount(sizeInBytes)}) in ${path}.`,
  ...(kind === 'embedding'
    ? [`To search with it: set CITEWELL_EMBEDDING_MODEL=local/${name}, then run: citewell reindex`]
    : [`To rerank with it: set CITEWELL_RERANKER=local/${name}`]),
];

/** `citewell models remove`. */
export async function removeLocalModel(name: string, context: CommandContext): Promise<ExitCode> {
  const { output } = context;
  const config = await context.config();
  const used = [
    ['CITEWELL_EMBEDDING_MODEL', config.embeddingModel],
    ['CITEWELL_RERANKER', config.reranker?.name],
  ].find(([, model]) => model === `local/${name}`);
  if (used !== undefined) {
    throw new ServiceError('invalid_request', `${used[0]} names ${name}. Change that setting first.`);
  }
  const modelsFolder = modelsFolderOf(config);
  if (!(await installedModels(modelsFolder)).some((model) => model.name === name)) {
    output.note(`"${name}" is not installed. "citewell models list" shows what is.`);
    return exitCodes.failure;
  }
  await removeModel(modelsFolder, name);
  output.print(`Removed ${name}.`);
  return exitCodes.ok;
}
