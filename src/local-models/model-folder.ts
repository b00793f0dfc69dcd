import { createHash } from 'node:crypto';
import { createReadStream, existsSync, readdirSync } from 'node:fs';
import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { z } from 'zod';
import { ServiceError } from '../errors.ts';
import type { LocalModelKind } from './catalog.ts';

/**
 * A model in the layout of the Hugging Face hub: `config.json`, `tokenizer.json`, optionally `tokenizer_config.json`,
 * and an ONNX file, in `onnx/` or beside them.
 */
export interface ModelFolder {
  readonly path: string;
  /** Absolute. */
  readonly weights: string;
  readonly kind: LocalModelKind;
  /** Maximum length of an input in tokens. */
  readonly maxTokens: number;
}

/** Written when an installation is complete. */
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

const DEFAULT_MAX_TOKENS = 512;

/** The files that a model needs besides its weights; the second of a pair is optional. */
const DESCRIPTION_FILES = [
  ['config.json', true],
  ['tokenizer.json', true],
  ['tokenizer_config.json', false],
] as const;

export const installedFolder = (modelsFolder: string, name: string): string =>
  join(modelsFolder, name.replaceAll('/', '--'));

/**
 * The folder of the model with that name: a path, or the name of an installed model. Throws `not_configured` with the
 * command that installs it.
 */
export function findModelFolder(name: string, modelsFolder: string): string {
  const installed = installedFolder(modelsFolder, name);
  if (existsSync(join(installed, MANIFEST))) return installed;
  const folder = resolve(name);
  if (existsSync(join(folder, 'config.json'))) return folder;
  if (/^[.~/\\]|^[a-z]:/i.test(name)) {
    throw new ServiceError('not_configured', `There is no model in ${folder}: config.json is missing.`);
  }
  throw new ServiceError(
    'not_configured',
    `The local model "${name}" is not installed. Run: citewell models install ${name}`,
  );
}

/** Reads what a model folder contains. Throws `not_configured` naming what is missing. */
export async function readModelFolder(path: string): Promise<ModelFolder> {
  const config = await readJson(join(path, 'config.json'), hubConfig);
  if (!existsSync(join(path, 'tokenizer.json'))) throw incomplete(path, 'tokenizer.json is missing');
  const weights = WEIGHT_FILES.find((file) => existsSync(join(path, file)));
  if (weights === undefined) throw incomplete(path, `none of ${WEIGHT_FILES.join(', ')} is there`);
  const tokenizer = existsSync(join(path, 'tokenizer_config.json'))
    ? await readJson(join(path, 'tokenizer_config.json'), tokenizerConfig)
    : {};
  const isReranker = config.architectures?.some((name) => name.endsWith('ForSequenceClassification')) ?? false;
  return {
    path,
    weights: join(path, weights),
    kind: isReranker ? 'reranker' : 'embedding',
    // Tokenizers without a limit give an astronomical number.
    maxTokens: Math.min(
      tokenizer.model_max_length ?? DEFAULT_MAX_TOKENS,
      config.max_position_embeddings ?? DEFAULT_MAX_TOKENS,
    ),
  };
}

const incomplete = (path: string, reason: string): ServiceError =>
  new ServiceError('not_configured', `There is no usable model in ${path}: ${reason}.`);

async function readJson<T>(file: string, schema: z.ZodType<T>): Promise<T> {
  try {
    return schema.parse(JSON.parse(await readFile(file, 'utf8')));
  } catch (cause) {
    throw new ServiceError('not_configured', `${file} is not a description of a model.`, { cause });
  }
}

/** The manifest of an installed model; undefined for any other folder. */
async function readManifest(path: string): Promise<ModelManifest | undefined> {
  const file = join(path, MANIFEST);
  return existsSync(file) ? readJson(file, manifest) : undefined;
}

/** A hash that changes with every file that affects the results; of an installed model by its recorded checksums. */
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

/** What a folder offers for installation, relative to it: the preferred weights and its description. */
export function filesToInstall(path: string): string[] {
  const inOnnx = existsSync(join(path, 'onnx')) ? readdirSync(join(path, 'onnx')).map((name) => `onnx/${name}`) : [];
  return chooseFiles([...readdirSync(path), ...inOnnx], basename(path));
}

/** The files to install out of those of a repository or folder. Throws `invalid_request` when one is missing. */
export function chooseFiles(offered: readonly string[], source: string): string[] {
  const weights = WEIGHT_FILES.find((file) => offered.includes(file));
  if (weights === undefined) {
    throw new ServiceError('invalid_request', `${source} has no ONNX weights (${WEIGHT_FILES.join(', ')}).`);
  }
  const described = DESCRIPTION_FILES.filter(([file, isRequired]) => {
    if (isRequired && !offered.includes(file)) {
      throw new ServiceError('invalid_request', `${source} is not a model for Citewell: ${file} is missing.`);
    }
    return offered.includes(file);
  });
  const external = `${weights}_data`;
  return [...described.map(([file]) => file), weights, ...(offered.includes(external) ? [external] : [])];
}
