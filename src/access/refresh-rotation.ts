import type { RevokedTokens } from '../store/user-records.ts';
import type { SessionClaims } from './session-tokens.ts';

/**
 * Each refresh token is exchanged once. If the response was lost, its holder repeats the request, so for a short time it
 * is accepted again while none of the tokens issued in exchange has been used. Of several refresh tokens that were
 * issued in exchange for the same one, only one can be used.
 */
export interface RefreshRotation {
  /** Records the use of a refresh token; false if it shows that the token was copied. */
  exchange(refresh: SessionClaims): Promise<boolean>;
  /** Records the use of an access token: the response it was in has arrived. */
  confirm(access: SessionClaims): Promise<void>;
}

/** A copy of the token that is used within this time is detected at the next exchange at the latest. */
export const REPEAT_SECONDS = 60;

export function createRefreshRotation(records: RevokedTokens): RefreshRotation {
  const isRepeated = async (tokenId: string): Promise<boolean> => {
    const [isRecent, ...uses] = await Promise.all(
      [recent(tokenId), received(tokenId), renewed(tokenId)].map((name) => records.has(name)),
    );
    return isRecent === true && !uses.includes(true);
  };

  return {
    async exchange({ tokenId, replaces, expiresAt }) {
      if (await records.has(tokenId)) return isRepeated(tokenId);
      // Recorded first, so that the later of two concurrent requests finds it.
      await records.add(recent(tokenId), inSeconds(REPEAT_SECONDS));
      if (!(await records.add(tokenId, expiresAt))) return isRepeated(tokenId);
      return replaces === undefined || records.add(renewed(replaces), expiresAt);
    },

    async confirm({ replaces, issuedAt }) {
      if (replaces === undefined || Date.now() - Date.parse(issuedAt) > REPEAT_SECONDS * 1000) return;
      if (!(await records.has(received(replaces)))) await records.add(received(replaces), inSeconds(REPEAT_SECONDS));
    },
  };
}

const recent = (tokenId: string): string => `recent ${tokenId}`;
const received = (tokenId: string): string => `received ${tokenId}`;
const renewed = (tokenId: string): string => `renewed ${tokenId}`;

const inSeconds = (seconds: number): string => new Date(Date.now() + seconds * 1000).toISOString();
