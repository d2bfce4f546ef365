import type { ClientMessage as ContractClientMessage } from '@calls/api-contract/data-messages/client-messages';
import type { ServerMessage as ContractServerMessage } from '@calls/api-contract/data-messages/server-messages';
import { expect, it } from '@jest/globals';
import type { ClientMessage, ServerMessage } from './messages.ts';

type IsSame<A, B> = [A, B] extends [B, A] ? true : false;

it('the published types of data messages equal those of the contract', () => {
  // The type check fails here if the types differ.
  const areSame: [
    IsSame<ClientMessage, ContractClientMessage>,
    IsSame<ServerMessage, ContractServerMessage>,
  ] = [true, true];
  expect(areSame).toEqual([true, true]);
});
