import type { AccessConfig } from '../access/access-settings.ts';
import { defaultAdmin } from '../access/principal.ts';
import type { UserStore } from '../store/user-records.ts';

const USERS_PER_READ = 1_000;

/** Hints for the operator about who can log in. */
export async function accessHints(
  { mode, keys, oauth, accounts, admins }: AccessConfig,
  { users }: Pick<UserStore, 'users'>,
): Promise<string[]> {
  if (admins.knowsTestPassword) {
    return [`${defaultAdmin.email} logs in with R2R's publicly known password (CITEWELL_R2R_TEST_ADMIN).`];
  }
  if (mode === 'off' || keys.length > 0 || oauth !== undefined) return [];
  let hasUser = false;
  for (let offset = 0; ; offset += USERS_PER_READ) {
    const { items } = await users.list({ ids: [], offset, limit: USERS_PER_READ });
    const ableToLogIn = items.filter(
      ({ isActive, isVerified, passwordHash }) =>
        isActive && passwordHash !== null && (isVerified || !accounts.requiresVerified),
    );
    if (ableToLogIn.some(({ isSuperuser }) => isSuperuser)) return [];
    hasUser ||= ableToLogIn.length > 0;
    if (items.length < USERS_PER_READ) break;
  }
  const command = 'citewell users create-admin --email YOU@EXAMPLE.ORG';
  return [
    hasUser
      ? `No administrator can log in. Create one: ${command}`
      : `Nobody can log in yet. Create the first administrator: ${command}`,
  ];
}
