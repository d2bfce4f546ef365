import { Type, type Static } from 'typebox';
import { DateTime, Nullable } from './common.ts';
import { defineResource, ReadOnly } from './resource.ts';

const shown = {
  /** The first part of the key, by which it is known. */
  prefix: ReadOnly(Type.String()),
  created: ReadOnly(DateTime),
  /** Prefix of the key that created this one. */
  creator: ReadOnly(Nullable(Type.String())),
};

export const ApiKey = defineResource('APIKey', {
  ...shown,
  name: ReadOnly(Type.String()),
  expiryDate: ReadOnly(Nullable(DateTime)),
  /** Can't be taken back. */
  revoked: Type.Optional(Type.Boolean()),
});
export type ApiKey = Static<typeof ApiKey.Response>;

export const ApiKeyCreate = defineResource('APIKeyCreate', {
  ...shown,
  /** The whole key. Shown here and never again. */
  secret: ReadOnly(Type.String()),
  revoked: ReadOnly(Type.Boolean()),
  name: Type.String({ minLength: 1, maxLength: 50 }),
  expiryDate: Type.Optional(Nullable(DateTime)),
});
export type ApiKeyCreate = Static<typeof ApiKeyCreate.Response>;
