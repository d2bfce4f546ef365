import { hkdfSync } from 'node:crypto';
import { CREATED_CALL_SECRETS, type CreatedCall } from '@calls/api-contract';
import { createSecretBox, openPaths, sealPaths } from '@calls/secret-box';

/** Messages about created calls, their secrets sealed on the way from who publishes them to who holds the call. */
export interface CallSeal {
  /** As it is sent and kept in streams. */
  seal(call: CreatedCall): CreatedCall;
  /** The way back. Throws a SecretBoxError where a secret was sealed with another JOIN_TOKEN_SECRET, or for another call. */
  open(call: CreatedCall): CreatedCall;
}

/** Services with the same JOIN_TOKEN_SECRET open what any of them sealed. */
export function createCallSeal(joinTokenSecret: string): CallSeal {
  const key = hkdfSync('sha256', joinTokenSecret, 'calls', 'secrets of created calls', 32);
  const box = createSecretBox([Buffer.from(key).toString('base64url')]);
  const context = ({ spec }: CreatedCall): string => `call:${spec.callId}`;
  return {
    seal: (call) => sealPaths(call, CREATED_CALL_SECRETS, (plain) => box.seal(plain, context(call))),
    open: (call) => openPaths(call, CREATED_CALL_SECRETS, (sealed) => box.open(sealed, context(call))),
  };
}
