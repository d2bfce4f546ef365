import { languageCode } from '../../language-code.ts';
import type { CloningProtocol } from '../cloning-protocol.ts';
import { API_VERSION } from './wire.ts';

/** Cartesia, `POST /voices/clone`. */
export const cartesiaCloning: CloningProtocol = {
  path: '/voices/clone',
  headers: (apiKey) => ({ 'x-api-key': apiKey, 'cartesia-version': API_VERSION }),
  fileField: 'clip',
  fields: ({ name, description, language }) => [
    ['name', name],
    ...(description === null ? [] : [['description', description] as const]),
    ['language', languageCode(language) ?? language],
  ],
  idField: 'id',
};
