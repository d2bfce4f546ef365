import { Type } from 'typebox';
import { Closed } from './common.ts';

export const KeyPrefix = Closed(
  { prefix: Type.String({ description: 'First characters of the secret.' }) },
  'KeyPrefix',
  'The part of a stored secret that responses show.',
);
