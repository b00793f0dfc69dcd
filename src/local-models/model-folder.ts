import { createHash } from 'node:crypto';
import { createReadStream, existsSync, readdirSync, readFileSync } from 'node:fs';
import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { z } from 'zod';
import { ServiceError } from '../errors.ts';
import { catalogModel, type LocalModelKind } from './catalog.ts';

/**
 * A model in the layout of the Hugging Face hub: `config.json`, `tokenizer.json`, optionally `tokenizer_config.json`,
 * and an ONNX file, in `onnx/` or beside them, or the token vectors of Model2Vec.
 */
export interface ModelFolder {
  readonly path: string;
  /** Absolute path. */
  readonly weights: string;
  readonly kind: LocalModelKind;
  /** Maximum length of an input in tokens. */
  readonly maxTokens: number;
}

/** The model's description file on the hub. */
export const CONFIG = 'config.json';

/** Manifest file that is written when an installation is complete. */
export const MANIFEST = 'citewell-model.json';

const manifest = z.object({
  name: z.string(),
  kind: z.enum(['embedding', 'reranker']),
  /** Hub repository or folder it came from. */
  source: z.string(),
  /** Commit of the repository. */
  revision: z.string().optional(),
  installed_at: z.string(),
  files: z.array(z.object({ path: z.string(), size: z.number(), sha256: z.string() })),
});
export type ModelManifest = z.infer<typeof manifest>;

const hubConfig = z.object({
  model_type: z.string().optional(),
  architectures: z.array(z.string()).optional(),
  max_position_embeddings: z.number().optional(),
});
const tokenizerConfig = z.object({ model_max_length: z.number().optional() });

/** Weights in order of preference: int8 is a quarter of the size and about twice as fast, at little loss. */
const WEIGHT_FILES = [
  'onnx/model_quantized.onnx',
  'onnx/model_int8.onnx',
  'onnx/model_uint8.onnx',
  'onnx/model.onnx',
  'model.onnx',
] as const;

/** The weights of a Model2Vec model; preferred over its ONNX file, which has another format. */
const TOKEN_VECTORS = 'model.safetensors';

const DEFAULT_MAX_TOKENS = 512;

/** The files of a model besides its weights, each with whether it is required. */
const DESCRIPTION_FILES = [
  [CONFIG, true],
  ['tokenizer.json', true],
  ['tokenizer_config.json', false],
] as const;

export const installedFolder = (modelsFolder: string, name: string): string =>
  join(modelsFolder, name.replaceAll('/', '--'));

/**
 * Finds the folder of a model by the name of an installed model or by its path. Throws `not_configured` with the
 * command that installs it.
 */
export function findModelFolder(name: string, modelsFolder: string): string {
  const installed = installedFolder(modelsFolder, name);
  if (existsSync(join(installed, MANIFEST))) return installed;
  const folder = resolve(name);
  if (existsSync(join(folder, CONFIG))) return folder;
  if (/^[.~/\\]|^[a-z]:/i.test(name)) {
    throw new ServiceError('not_configured', `There is no model in ${folder}: config.json is missing.`);
  }
  const isKnown = catalogModel(name) !== undefined || name.includes('/');
  const remedy = isKnown
    ? `Run: citewell models install ${name}`
    : 'No model of this name is known to work here; "citewell models list" names those that are.';
  throw new ServiceError('not_configured', `The local model "${name}" is not installed. ${remedy}`);
}

/** Whether a model of that name exists in the Model2Vec format, which does not need ONNX Runtime. */
export function isTokenVectors(name: string, modelsFolder: string): boolean {
  try {
    return hasTokenVectors(findModelFolder(name, modelsFolder));
  } catch (error) {
    if (error instanceof ServiceError) return false;
    throw error;
  }
}

const hasTokenVectors = (path: string): boolean => {
  requireConfig(path);
  const file = join(path, CONFIG);
  const { model_type: type, architectures } = parseFile(file, hubConfig, readFileSync(file, 'utf8'));
  return type === 'model2vec' || architectures?.includes('StaticModel') === true;
};

/** Reads what a model folder contains. Throws `not_configured` naming what is missing. */
export async function readModelFolder(path: string): Promise<ModelFolder> {
  requireConfig(path);
  const config = await readJson(join(path, CONFIG), hubConfig);
  if (!existsSync(join(path, 'tokenizer.json'))) throw incomplete(path, 'tokenizer.json is missing');
  const accepted = weightFiles(path);
  const weights = accepted.find((file) => existsSync(join(path, file)));
  if (weights === undefined) throw incomplete(path, `none of ${accepted.join(', ')} is there`);
  const tokenizer = existsSync(join(path, 'tokenizer_config.json'))
    ? await readJson(join(path, 'tokenizer_config.json'), tokenizerConfig)
    : {};
  const isReranker = config.architectures?.some((name) => name.endsWith('ForSequenceClassification')) ?? false;
  return {
    path,
    weights: join(path, weights),
    kind: isReranker ? 'reranker' : 'embedding',
    // Tokenizers without a limit state an astronomical number.
    maxTokens: Math.min(
      tokenizer.model_max_length ?? DEFAULT_MAX_TOKENS,
      config.max_position_embeddings ?? DEFAULT_MAX_TOKENS,
    ),
  };
}

const incomplete = (path: string, reason: string): ServiceError =>
  new ServiceError('not_configured', `There is no usable model in ${path}: ${reason}.`);

function requireConfig(path: string): void {
  if (!existsSync(join(path, CONFIG))) throw incomplete(path, `${CONFIG} is missing`);
}

const weightFiles = (path: string): readonly string[] => (hasTokenVectors(path) ? [TOKEN_VECTORS] : WEIGHT_FILES);

const readJson = async <T>(file: string, schema: z.ZodType<T>): Promise<T> =>
  parseFile(file, schema, await readFile(file, 'utf8'));

function parseFile<T>(file: string, schema: z.ZodType<T>, text: string): T {
  try {
    return schema.parse(JSON.parse(text));
  } catch (cause) {
    throw new ServiceError('not_configured', `${file} is not a description of a model.`, { cause });
  }
}

/** The manifest of an installed model; undefined for any other folder. */
async function readManifest(path: string): Promise<ModelManifest | undefined> {
  const file = join(path, MANIFEST);
  return existsSync(file) ? readJson(file, manifest) : undefined;
}

/** A hash of all files that affect results; for an installed model, computed from its recorded checksums. */
export async function modelVersion({ path, weights }: ModelFolder): Promise<string> {
  const recorded = new Map((await readManifest(path))?.files.map((file) => [file.path, file.sha256]));
  const names = ['tokenizer.json', 'tokenizer_config.json', weights.slice(path.length + 1).replaceAll('\\', '/')];
  const hash = createHash('sha256');
  for (const name of names) {
    if (!existsSync(join(path, name))) continue;
    hash.update(`${name} ${recorded.get(name) ?? (await sha256Of(join(path, name)))}\n`);
  }
  return hash.digest('hex').slice(0, 16);
}

export async function sha256Of(file: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const piece of createReadStream(file)) hash.update(piece);
  return hash.digest('hex');
}

/** Whether a model is run by ONNX Runtime. */
export const needsRuntime = ({ files }: Pick<ModelManifest, 'files'>): boolean =>
  files.some(({ path }) => path.endsWith('.onnx'));

export interface InstalledModel extends ModelManifest {
  readonly path: string;
  readonly sizeInBytes: number;
}

export async function installedModels(modelsFolder: string): Promise<InstalledModel[]> {
  const names = await readdir(modelsFolder).catch(() => []);
  const found = await Promise.all(
    names.map(async (name) => {
      const path = join(modelsFolder, name);
      // An unreadable manifest must not hide the other models.
      const read = await readManifest(path).catch(() => undefined);
      return read === undefined ? [] : [{ ...read, path, sizeInBytes: sizeOf(read) }];
    }),
  );
  return found.flat().sort((left, right) => left.name.localeCompare(right.name));
}

const sizeOf = ({ files }: ModelManifest): number => files.reduce((sum, { size }) => sum + size, 0);

/** Deletes an installed model; false when there is none of that name. */
export async function removeModel(modelsFolder: string, name: string): Promise<boolean> {
  const path = installedFolder(modelsFolder, name);
  const isThere = await stat(path).then(
    () => true,
    () => false,
  );
  await rm(path, { recursive: true, force: true });
  return isThere;
}

/** Relative paths of the files of a folder to install: the preferred weights and the description files. */
export function filesToInstall(path: string): string[] {
  const inOnnx = existsSync(join(path, 'onnx')) ? readdirSync(join(path, 'onnx')).map((name) => `onnx/${name}`) : [];
  return chooseFiles([...readdirSync(path), ...inOnnx], { source: basename(path), description: path });
}

export const missingFile = (source: string, file: string): ServiceError =>
  new ServiceError('invalid_request', `${source} is not a model for Citewell: ${file} is missing.`);

export interface Offer {
  /** Shown in messages. */
  readonly source: string;
  /** Folder of the model's `config.json`. */
  readonly description: string;
}

/** Selects the files to install from those of a repository or folder. Throws `invalid_request` if one is missing. */
export function chooseFiles(offered: readonly string[], { source, description }: Offer): string[] {
  const accepted = weightFiles(description);
  const weights = accepted.find((file) => offered.includes(file));
  if (weights === undefined) {
    const missing = accepted.length > 1 ? 'ONNX weights' : 'token vectors';
    throw new ServiceError('invalid_request', `${source} has no ${missing} (${accepted.join(', ')}).`);
  }
  const described = DESCRIPTION_FILES.filter(([file, isRequired]) => {
    if (isRequired && !offered.includes(file)) {
      throw missingFile(source, file);
    }
    return offered.includes(file);
  });
  const external = `${weights}_data`;
  return [...described.map(([file]) => file), weights, ...(offered.includes(external) ? [external] : [])];
}
