import { Type, type Static } from 'typebox';
import { Uuid } from '../rest/common.ts';
import { compileValidator } from '../validation/validator.ts';

/** Reported when the database has the change. Open: a later release may add fields. */
export const CallChange = Type.Object({
  accountId: Uuid,
  callId: Uuid,
  state: Type.Enum(['created', 'joined', 'ended']),
});
export type CallChange = Static<typeof CallChange>;

export const callChangeValidator = compileValidator('call change', CallChange);
