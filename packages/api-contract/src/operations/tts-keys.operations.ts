import { AccountTtsKeys, PatchedSetTtsApiKeysRequest } from '../rest/tts-keys.ts';
import { defineOperation } from './operation.ts';

const tag = 'Accounts';
const path = '/api/accounts/me/tts_api_keys';

export const getTtsKeys = defineOperation({
  id: 'getTtsKeys',
  method: 'GET',
  path,
  tag,
  summary: 'Gets the prefixes of the keys that the account has stored for providers of voices.',
  status: 200,
  response: AccountTtsKeys,
});

export const setTtsKeys = defineOperation({
  id: 'setTtsKeys',
  method: 'PATCH',
  path,
  tag,
  summary: 'Stores keys for providers of voices, or deletes them (null). What is not named stays.',
  body: PatchedSetTtsApiKeysRequest,
  status: 200,
  response: AccountTtsKeys,
});

export const ttsKeyOperations = [getTtsKeys, setTtsKeys];
