import { defaultCollectionId } from '../documents/ids.ts';
import { ServiceError } from '../errors.ts';
import type { CollectionRecords } from '../store/records.ts';
import type { SharedCounters } from '../store/shared-counters.ts';
import type { User, UserStore } from '../store/user-records.ts';
import { rateLimitAddress } from './client-address.ts';
import { checkEmail, emailTaken, orEmailTaken } from './email-address.ts';
import type { Passwords } from './passwords.ts';
import { defaultAdmin, type Principal } from './principal.ts';
import { type Throttle, throttleFactory } from './throttle.ts';

export interface UserPolicy {
  /** Whether anyone may register, or only superusers create users. */
  readonly registration: 'open' | 'closed';
  readonly requiresVerified: boolean;
}

export interface Registration {
  readonly email: string;
  readonly password: string;
  /** A bcrypt or Argon2 hash from another system, stored instead of a hash of `password`. Superusers only. */
  readonly passwordHash?: string;
  readonly name?: string;
  readonly bio?: string;
  readonly profilePicture?: string;
  /** Superusers only. */
  readonly isVerified?: boolean;
}

/** Limits on registrations, per address and in total. */
export interface RegistrationThrottles {
  readonly address: Throttle;
  readonly all: Throttle;
}

export interface RegistrationParts {
  readonly store: Pick<UserStore, 'users'>;
  readonly collections: Pick<CollectionRecords, 'ensure'>;
  readonly passwords: Passwords;
  readonly policy: UserPolicy;
  readonly registrations?: RegistrationThrottles;
  /** Counts registrations across servers; without it, they are counted in this process only. */
  readonly counters?: SharedCounters | undefined;
}

const HOUR = 3_600;
function defaultRegistrationThrottles(counters: SharedCounters | undefined): RegistrationThrottles {
  const createThrottle = throttleFactory(counters);
  return {
    address: createThrottle('registration address', { times: 100, seconds: HOUR }),
    all: createThrottle('registration', { times: 1_000, seconds: HOUR }),
  };
}

/** Registers users; see `Users`. */
export function createRegistration(parts: RegistrationParts) {
  const { collections, passwords, policy } = parts;
  const { users } = parts.store;
  const { registrations = defaultRegistrationThrottles(parts.counters) } = parts;

  return async (by: Principal | undefined, registration: Registration, address: string): Promise<User> => {
    const { email, password, passwordHash, isVerified = false, ...profile } = registration;
    const isSuperuser = by?.isSuperuser ?? false;
    if (!isSuperuser) refuseUnlessOpen(registration, policy);
    checkEmail(email);
    passwords.check(password);
    const hashed = async () =>
      passwordHash === undefined ? passwords.hash(password) : passwords.importHash(passwordHash);
    if (!isSuperuser) {
      await registrations.address.attempt(rateLimitAddress(address));
      await registrations.all.attempt('all');
    }
    const known = await users.findByEmail(email);
    if (known !== undefined) {
      // The default admin exists from the start, without a password until a superuser sets one.
      if (!isSuperuser || known.id !== defaultAdmin.userId || known.passwordHash !== null) throw emailTaken(email);
      return (await users.update(known.id, { ...profile, passwordHash: await hashed() })) ?? known;
    }
    const user = await users
      .create({
        email,
        passwordHash: await hashed(),
        isSuperuser: false,
        isVerified,
        ...profile,
      })
      .catch((error: unknown) => {
        throw orEmailTaken(error, email);
      });
    await collections.ensure({ id: defaultCollectionId(user.id), ownerId: user.id, name: 'Default' });
    return user;
  };
}

/** Throws `forbidden` for what only superusers may do. */
function refuseUnlessOpen({ isVerified, passwordHash }: Registration, { registration }: UserPolicy): void {
  if (registration === 'closed') {
    throw new ServiceError('forbidden', 'Registration is closed; only superusers can create users.');
  }
  if (isVerified !== undefined) {
    throw new ServiceError('forbidden', 'Only superusers can set whether an e-mail address is verified.');
  }
  if (passwordHash !== undefined) {
    throw new ServiceError('forbidden', 'Only superusers can supply a password hash.');
  }
}
