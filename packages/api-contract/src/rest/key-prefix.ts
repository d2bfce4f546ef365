import { Type } from 'typebox';
import { Closed } from './common.ts';

/** What is shown of a stored secret. */
export const KeyPrefix = Closed({ prefix: Type.String() }, 'KeyPrefix');
