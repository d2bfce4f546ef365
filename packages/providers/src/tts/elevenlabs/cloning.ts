import { languageCode } from '../../language-code.ts';
import type { CloningProtocol } from '../cloning-protocol.ts';

/** ElevenLabs, `POST /v1/voices/add`: an instant voice clone. */
export const elevenLabsCloning: CloningProtocol = {
  path: '/v1/voices/add',
  headers: (apiKey) => ({ 'xi-api-key': apiKey }),
  fileField: 'files',
  fields: ({ name, description, language }) => [
    ['name', name],
    ...(description === null ? [] : [['description', description] as const]),
    ['labels', JSON.stringify({ language: languageCode(language) ?? language })],
  ],
  idField: 'voice_id',
};
