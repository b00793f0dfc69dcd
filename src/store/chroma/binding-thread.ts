/**
 * Entry point of the thread that finds the native module: reading and comparing two files of 50 MB would otherwise keep
 * the service from answering for about half a second.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { type ErrorCode, ServiceError } from '../../errors.ts';
import { type BindingHost, type BindingPackage, loadableBinding } from './loadable-binding.ts';

export interface BindingJob {
  readonly binding: BindingPackage;
  readonly host: BindingHost;
  readonly cacheFolder: string;
}

export type BindingReply =
  | { readonly file: string }
  | { readonly error: { readonly code: ErrorCode; readonly message: string; readonly cause: unknown } };

const { binding, host, cacheFolder }: BindingJob = workerData;

async function find(): Promise<BindingReply> {
  try {
    return { file: await loadableBinding(binding, host, cacheFolder) };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return { error: { code: error.code, message: error.message, cause: error.cause } };
  }
}

parentPort?.postMessage(await find());
