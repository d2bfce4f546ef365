import { generateKeyPairSync } from 'node:crypto';

export interface ServiceAccount {
  /** JSON key as a customer stores it. */
  keyJson: string;
  publicKeyPem: string;
}

/** Creates a service account key in the format of Google. The provider4 stand-in accepts tokens that it signed. */
export function createServiceAccount(): ServiceAccount {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  const fields = {
    type: 'service_account',
    client_email: 'speaker@project.example',
    private_key: privateKey,
    private_key_id: 'key-1',
    token_uri: 'http://127.0.0.1:9',
  };
  return { keyJson: JSON.stringify(fields), publicKeyPem: publicKey };
}
