import { call, callList, type Listed, send } from '../../api/request.ts';
import type { SystemStatus } from './findings.ts';

export interface UserRecord {
  readonly id: string;
  readonly email: string;
  readonly name: string | null;
  readonly is_active: boolean;
  readonly is_superuser: boolean;
  readonly num_files: number;
  readonly total_size_in_bytes: number;
}

export interface KeyRecord {
  readonly key_id: string;
  readonly public_key: string;
  readonly name: string | null;
  readonly updated_at: string;
}

export interface Share {
  readonly limit: number | null;
  readonly used: number;
}

export interface LimitsRecord {
  readonly storage_limits: Readonly<Record<string, Share>>;
  readonly usage: { readonly global_per_min: Share; readonly monthly_limit: Share };
}

export interface SystemSettings {
  readonly config: Readonly<Record<string, unknown>>;
}

export const loadStatus = (signal: AbortSignal): Promise<SystemStatus> =>
  call<SystemStatus>('/v3/system/status', { signal });

export const loadSettings = (signal: AbortSignal): Promise<SystemSettings> =>
  call<SystemSettings>('/v3/system/settings', { signal });

/** Whether the server requires credentials, according to its settings. */
export function needsCredentials({ config }: SystemSettings): boolean {
  const auth = Object(config['auth']) as { readonly require_authentication?: unknown };
  return auth.require_authentication === true;
}

export const checkIndex = async (): Promise<string> =>
  (await call<{ readonly message: string }>('/v3/indices', { method: 'POST', body: {} })).message;

export const USERS_PER_PAGE = 50;

export const loadUsers = (offset: number, signal: AbortSignal): Promise<Listed<UserRecord>> =>
  callList<UserRecord>('/v3/users', { query: { offset, limit: USERS_PER_PAGE }, signal });

export const createUser = (email: string, password: string): Promise<UserRecord> =>
  call<UserRecord>('/v3/users', { method: 'POST', body: { email, password } });

export const changeUser = (
  id: string,
  change: Partial<Pick<UserRecord, 'is_superuser' | 'is_active'>>,
): Promise<UserRecord> => call<UserRecord>(`/v3/users/${id}`, { method: 'POST', body: change });

export const deleteUser = (id: string): Promise<unknown> => call(`/v3/users/${id}`, { method: 'DELETE', body: {} });

export const loadKeys = (userId: string, signal?: AbortSignal): Promise<Listed<KeyRecord>> =>
  callList<KeyRecord>(`/v3/users/${userId}/api-keys`, { query: { limit: 1000 }, ...(signal && { signal }) });

export const createKey = async (userId: string, name: string): Promise<string> =>
  (
    await call<{ readonly api_key: string }>(`/v3/users/${userId}/api-keys`, {
      method: 'POST',
      body: name === '' ? {} : { name },
    })
  ).api_key;

export const deleteKey = (userId: string, keyId: string): Promise<unknown> =>
  call(`/v3/users/${userId}/api-keys/${keyId}`, { method: 'DELETE' });

/** Sets a new password and signs in with it, since the change ends all sessions. Returns how many keys stay valid. */
export async function changePassword(email: string, current: string, next: string): Promise<number> {
  const { api_keys: keys } = await call<{ readonly api_keys: number }>('/v3/users/change-password', {
    method: 'POST',
    body: { current_password: current, new_password: next },
  });
  await send('/session', { method: 'POST', body: { email, password: next } });
  return keys;
}

export async function deleteKeys(userId: string): Promise<void> {
  for (;;) {
    const { items } = await loadKeys(userId);
    if (items.length === 0) return;
    for (const { key_id: id } of items) await deleteKey(userId, id);
  }
}

export const loadLimits = (userId: string, signal: AbortSignal): Promise<LimitsRecord> =>
  call<LimitsRecord>(`/v3/users/${userId}/limits`, { signal });
