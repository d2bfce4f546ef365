import { exampleIds } from './example-values.ts';

export const voice = {
  voiceId: exampleIds.voice,
  name: 'English (Great Britain)',
  description: 'A voice of the local engine.',
  primaryLanguage: 'en-GB',
  languageLabel: 'English (United Kingdom)',
  previewUrl: `https://api.example.com/api/voices/${exampleIds.voice}/preview`,
  ownership: 'public',
  billingStyle: 'VOICE_BILLING_STYLE_INCLUDED',
  provider: null,
  definition: {},
};

export const voiceBody = {
  name: 'Ada',
  primaryLanguage: 'en-GB',
  definition: { generic: { url: 'https://example.com/speak', body: { text: '{text}' } } },
};

export const privateVoice = {
  ...voice,
  ...voiceBody,
  description: null,
  ownership: 'private',
  billingStyle: 'VOICE_BILLING_STYLE_EXTERNAL',
  provider: 'generic',
};
