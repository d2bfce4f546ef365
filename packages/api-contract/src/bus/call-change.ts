import { Uuid } from '@calls/foundation/schema/objects';
import { compileValidator } from '@calls/foundation/schema/validator';
import { Type, type Static } from 'typebox';

/** Reported when the database has the change. Additional fields are allowed: a later release may add some. */
export const CallChange = Type.Object({
  accountId: Uuid,
  callId: Uuid,
  state: Type.Enum(['created', 'joined', 'ended']),
});
export type CallChange = Static<typeof CallChange>;

export const callChangeValidator = compileValidator('call change', CallChange);
