import { described, ReadOnly } from '@calls/foundation/schema/annotations';
import { DateTime, Nullable } from '@calls/foundation/schema/objects';
import { Type, type Static, type TSchema } from 'typebox';
import { defineResource } from './resource.ts';

/** What the holder of a key may do. */
export const KeyRole = Type.Enum(['administrator', 'member', 'viewer'], {
  description:
    '`administrator`: everything; `member`: everything but changes of keys and invitations; `viewer`: read only, without join URLs.',
});
export type KeyRole = Static<typeof KeyRole>;

export const KeyName = Type.String({
  minLength: 1,
  maxLength: 50,
  description: 'Name of the key, or of the person who uses it.',
});

export const InvitationLifetime = Type.Integer({
  minimum: 300,
  maximum: 30 * 86_400,
  default: 3 * 86_400,
  description: 'How long the link works.',
});

const shown = {
  prefix: ReadOnly(Type.String({ description: 'First 8 characters of the key, which identify it.' })),
  created: ReadOnly(described(DateTime, 'When the key was created.')),
  creator: ReadOnly(
    Nullable(Type.String(), 'Prefix of the key that created this one; null when the operator created it.'),
  ),
  lastUsed: ReadOnly(
    Nullable(DateTime, 'When the key was last used, to a minute; null when it was never used.'),
  ),
};
const EXPIRY = 'When the key stops working; null means never.';

const ShownName = Type.String({
  maxLength: 50,
  description: 'Name of the key, or of the person who uses it.',
});
const Revoked = Type.Boolean({
  description: 'Whether the key is revoked. True cannot be changed back to false.',
});

function apiKeyWith<N extends TSchema, R extends TSchema, V extends TSchema>(name: N, role: R, revoked: V) {
  return defineResource('APIKey', {
    ...shown,
    name,
    role,
    expiryDate: ReadOnly(Nullable(DateTime, EXPIRY)),
    revoked,
  });
}

export const ApiKey = {
  Response: apiKeyWith(ShownName, KeyRole, Revoked).Response,
  Request: apiKeyWith(Type.Optional(KeyName), Type.Optional(KeyRole), Type.Optional(Revoked)).Request,
};
export type ApiKey = Static<typeof ApiKey.Response>;

function createdKeyWith<R extends TSchema, E extends TSchema>(role: R, expiryDate: E) {
  return defineResource('APIKeyCreate', {
    ...shown,
    secret: ReadOnly(Type.String({ description: 'The whole key. Store it: no other response contains it.' })),
    revoked: ReadOnly(Type.Boolean({ description: 'Whether the key is revoked; false for a new key.' })),
    name: KeyName,
    role,
    expiryDate,
  });
}

const Expiry = Nullable(DateTime, EXPIRY);
export const ApiKeyCreate = {
  Response: createdKeyWith(KeyRole, Expiry).Response,
  Request: createdKeyWith(
    Type.Optional(described(KeyRole, 'What the holder of the key may do. Defaults to `administrator`.')),
    Type.Optional(Expiry),
  ).Request,
};
export type ApiKeyCreate = Static<typeof ApiKeyCreate.Response>;
