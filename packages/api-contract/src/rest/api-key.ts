import { described, ReadOnly } from '@calls/foundation/schema/annotations';
import { DateTime, Nullable } from '@calls/foundation/schema/objects';
import { Type, type Static } from 'typebox';
import { defineResource } from './resource.ts';

const shown = {
  prefix: ReadOnly(Type.String({ description: 'First 8 characters of the key, which identify it.' })),
  created: ReadOnly(described(DateTime, 'When the key was created.')),
  creator: ReadOnly(
    Nullable(Type.String(), 'Prefix of the key that created this one; null when the operator created it.'),
  ),
};
const EXPIRY = 'When the key stops working; null means never.';

export const ApiKey = defineResource('APIKey', {
  ...shown,
  name: ReadOnly(Type.String({ description: 'Name of the key.' })),
  expiryDate: ReadOnly(Nullable(DateTime, EXPIRY)),
  revoked: Type.Optional(
    Type.Boolean({ description: 'Whether the key is revoked. True cannot be changed back to false.' }),
  ),
});
export type ApiKey = Static<typeof ApiKey.Response>;

export const ApiKeyCreate = defineResource('APIKeyCreate', {
  ...shown,
  secret: ReadOnly(Type.String({ description: 'The whole key. Store it: no other response contains it.' })),
  revoked: ReadOnly(Type.Boolean({ description: 'False for a new key.' })),
  name: Type.String({ minLength: 1, maxLength: 50, description: 'Name of the key.' }),
  expiryDate: Type.Optional(Nullable(DateTime, EXPIRY)),
});
export type ApiKeyCreate = Static<typeof ApiKeyCreate.Response>;
