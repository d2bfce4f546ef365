import { CLONING_TTS_VENDORS, VOICE_PROVIDERS } from '@calls/providers/tts/tts-vendors';
import { Type } from 'typebox';
import { Voice, VoiceBillingStyle, VoiceOwnership, VoiceSample } from '../rest/voice.ts';
import { pageOf } from './examples/example-values.ts';
import { privateVoice, voice, voiceBody } from './examples/voices.examples.ts';
import { defineList, defineOperation, Several } from './operation.ts';

const tag = 'Voices';
const path = '/api/voices/{voice_id}';
const audio = [
  { status: 200, mediaType: 'audio/wav', description: 'A short sentence in the language of the voice.' },
];

const CLONING_NAMES = CLONING_TTS_VENDORS.map(({ key, name }) => `${name} (\`${key}\`)`).join(' or ');

export const listVoices = defineList({
  id: 'listVoices',
  path: '/api/voices',
  tag,
  summary: 'List voices',
  description: 'Returns the private voices of the account, oldest first, and the public ones.',
  example: { query: { primaryLanguage: 'en-GB', ownership: 'public' }, response: pageOf(voice) },
  filters: {
    billingStyle: Type.Optional(VoiceBillingStyle),
    ownership: Type.Optional(VoiceOwnership),
    primaryLanguage: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        description:
          'A BCP 47 tag. Voices with another region, script or variant of the language follow, then voices without a language.',
      }),
    ),
    provider: Type.Optional(Several(Type.Enum([...VOICE_PROVIDERS]), 'Voices of these providers.')),
    search: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 256,
        description: 'Part of the name, the description or the language; not case-sensitive.',
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
  summary: 'Add a voice',
  description: `Adds a voice of a text-to-speech provider, or of your own endpoint. A recording is cloned by ${CLONING_NAMES} with the account's key there; without one: 422 \`provider_key_missing\`. If the provider fails, nothing is added, and 400 \`voice_error\` has its error.`,
  example: { body: voiceBody, response: privateVoice },
  body: Voice.Request,
  otherBodies: {
    'multipart/form-data': VoiceSample,
  },
  maxUploadBytes: 10 * 1024 * 1024,
  status: 201,
  response: Voice.Response,
  errorStatuses: [422],
});

export const getVoice = defineOperation({
  id: 'getVoice',
  method: 'GET',
  path,
  tag,
  summary: 'Get a voice',
  description: 'Returns a voice of the catalogue.',
  example: { response: voice },
  status: 200,
  response: Voice.Response,
});

export const replaceVoice = defineOperation({
  id: 'replaceVoice',
  method: 'PUT',
  path,
  tag,
  summary: 'Replace a voice',
  description: 'Replaces a private voice. Existing calls do not change. Fails with 403 for public voices.',
  example: { body: voiceBody, response: privateVoice },
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
  summary: 'Update a voice',
  description: 'Changes a private voice. Existing calls do not change. Fails with 403 for public voices.',
  example: { body: { description: 'Calm and clear.' }, response: privateVoice },
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
  summary: 'Delete a voice',
  description: 'Deletes a private voice. Existing calls do not change. Fails with 403 for public voices.',
  example: {},
  status: 204,
  errorStatuses: [403],
});

export const previewVoice = defineOperation({
  id: 'previewVoice',
  method: 'GET',
  path: '/api/voices/{voice_id}/preview',
  tag,
  summary: 'Preview a voice',
  description:
    'Returns a short sentence spoken by the voice, as WAV. If the provider fails, returns 400 `voice_error` with the error of the provider as `detail`.',
  example: {},
  status: 200,
  otherResponses: audio,
});

export const previewVoiceDefinition = defineOperation({
  id: 'previewVoiceDefinition',
  method: 'POST',
  path: '/api/voice_preview',
  tag,
  summary: 'Preview a voice definition',
  description:
    'Returns a short sentence spoken by a voice that is not in the catalogue, as WAV. If the provider fails, returns 400 `voice_error` with the error of the provider as `detail`.',
  example: { body: voiceBody },
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
