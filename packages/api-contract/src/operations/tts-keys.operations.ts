import { AccountTtsKeys, PatchedSetTtsApiKeysRequest } from '../rest/tts-keys.ts';
import { defineOperation } from './operation.ts';

const tag = 'Accounts';
const path = '/api/accounts/me/tts_api_keys';

export const getTtsKeys = defineOperation({
  id: 'getTtsKeys',
  method: 'GET',
  path,
  tag,
  summary: 'Get text-to-speech keys',
  description: 'Returns the prefixes of the keys that the account stored for text-to-speech providers.',
  example: { response: { provider1: { prefix: 'key-' } } },
  status: 200,
  response: AccountTtsKeys,
});

export const setTtsKeys = defineOperation({
  id: 'setTtsKeys',
  method: 'PATCH',
  path,
  tag,
  summary: 'Set text-to-speech keys',
  description: 'Stores keys for text-to-speech providers; null deletes one. Omitted providers do not change.',
  example: { body: { provider1: 'key-of-provider1' }, response: { provider1: { prefix: 'key-' } } },
  body: PatchedSetTtsApiKeysRequest,
  status: 200,
  response: AccountTtsKeys,
});

export const ttsKeyOperations = [getTtsKeys, setTtsKeys];
