import { createPrivateKey, type KeyObject } from 'node:crypto';
import { compileValidator } from '@calls/foundation/schema/validator';
import { Type } from 'typebox';

/** A credential of the kind `service_account`. */
export interface ServiceAccount {
  email: string;
  keyId: string | undefined;
  /** An RSA key. */
  key: KeyObject;
}

const validator = compileValidator(
  'service-account key',
  Type.Object({
    client_email: Type.String({ minLength: 1 }),
    private_key: Type.String({ minLength: 1 }),
    private_key_id: Type.Optional(Type.String({ minLength: 1 })),
  }),
);

/** Parses the JSON text of a service-account key; null if it is not one. */
export function readServiceAccount(text: string): ServiceAccount | null {
  try {
    const fields = validator.parse(JSON.parse(text));
    const key = createPrivateKey(fields.private_key);
    if (key.asymmetricKeyType !== 'rsa') return null;
    return { email: fields.client_email, keyId: fields.private_key_id, key };
  } catch {
    // Not logged: an error would contain parts of the key.
    return null;
  }
}
