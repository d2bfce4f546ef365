import { Voice } from '../rest/voice.ts';
import { defineList } from './operation.ts';

const tag = 'Voices';

export const listVoices = defineList({
  id: 'listVoices',
  path: '/api/voices',
  tag,
  summary: 'Lists the public voices and those of the account.',
  item: Voice,
  itemName: 'Voice',
});

export const voiceOperations = [listVoices];
