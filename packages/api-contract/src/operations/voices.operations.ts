import { Type } from 'typebox';
import { VOICE_PROVIDERS } from '../vendors/tts-vendors.ts';
import { Voice, VoiceBillingStyle, VoiceOwnership, VoiceSample } from '../rest/voice.ts';
import { defineList, defineOperation, Several } from './operation.ts';

const tag = 'Voices';
const path = '/api/voices/{voice_id}';
const forbidden = 'Public voices can be neither replaced, changed nor deleted: 403.';
const audio = [
  { status: 200, mediaType: 'audio/wav', description: 'A short sentence in the language of the voice.' },
];
const failing = 'A voice that can not speak answers 400 with `code` `voice_error` and the error as `detail`.';

export const listVoices = defineList({
  id: 'listVoices',
  path: '/api/voices',
  tag,
  summary: 'Lists the voices of the account, oldest first, and the public ones.',
  filters: {
    billingStyle: Type.Optional(Type.Enum(VoiceBillingStyle.enum)),
    ownership: Type.Optional(Type.Enum(VoiceOwnership.enum)),
    primaryLanguage: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        description:
          'A BCP 47 tag. Voices of the same language with another region, script or variant come later, voices without a language last, voices of other languages not at all.',
      }),
    ),
    provider: Type.Optional(Several(Type.Enum([...VOICE_PROVIDERS]))),
    search: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 256,
        description: 'Part of the name, the description or the language, in any case.',
      }),
    ),
  },
  item: Voice.Response,
  itemName: 'Voice',
});

export const createVoice = defineOperation({
  id: 'createVoice',
  method: 'POST',
  path: '/api/voices',
  tag,
  summary: 'Adds a voice of a provider, or an endpoint of your own, to the catalogue of the account.',
  description:
    'Cloning a voice from a sample (`multipart/form-data`) needs an engine that clones; there is none: 422.',
  body: Voice.Request,
  otherBodies: {
    'multipart/form-data': VoiceSample,
  },
  status: 201,
  response: Voice.Response,
  errorStatuses: [422],
});

export const getVoice = defineOperation({
  id: 'getVoice',
  method: 'GET',
  path,
  tag,
  summary: 'Gets a voice.',
  status: 200,
  response: Voice.Response,
});

export const replaceVoice = defineOperation({
  id: 'replaceVoice',
  method: 'PUT',
  path,
  tag,
  summary: 'Replaces a voice. Calls keep the one that they were created with.',
  description: forbidden,
  body: Voice.Request,
  status: 200,
  response: Voice.Response,
  errorStatuses: [403],
});

export const updateVoice = defineOperation({
  id: 'updateVoice',
  method: 'PATCH',
  path,
  tag,
  summary: 'Changes a voice. Calls keep the one that they were created with.',
  description: forbidden,
  body: Voice.Patch,
  status: 200,
  response: Voice.Response,
  errorStatuses: [403],
});

export const deleteVoice = defineOperation({
  id: 'deleteVoice',
  method: 'DELETE',
  path,
  tag,
  summary: 'Deletes a voice. Calls keep the one that they were created with.',
  description: forbidden,
  status: 204,
  errorStatuses: [403],
});

export const previewVoice = defineOperation({
  id: 'previewVoice',
  method: 'GET',
  path: '/api/voices/{voice_id}/preview',
  tag,
  summary: 'Speaks a short sentence with a voice.',
  description: failing,
  status: 200,
  otherResponses: audio,
});

export const previewVoiceDefinition = defineOperation({
  id: 'previewVoiceDefinition',
  method: 'POST',
  path: '/api/voice_preview',
  tag,
  summary: 'Speaks a short sentence with a voice that is not in the catalogue.',
  description: failing,
  body: Voice.Request,
  status: 200,
  otherResponses: audio,
});

export const voiceOperations = [
  listVoices,
  createVoice,
  getVoice,
  replaceVoice,
  updateVoice,
  deleteVoice,
  previewVoice,
  previewVoiceDefinition,
];
