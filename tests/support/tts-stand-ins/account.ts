import { generateKeyPairSync } from 'node:crypto';

export interface ServiceAccount {
  /** As a customer stores it. */
  keyJson: string;
  publicKeyPem: string;
}

/** A service-account key of Google's kind; provider4's stand-in lets in what it signs. */
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
